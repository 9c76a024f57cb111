import Authoring
import Core
import Reporting
import Runner
import ScenarioLanguage
import Search

/// The messages between the program and its workers, as frames: the options once, then alternately a request
/// and its result. Both sides are the same executable, so the encoding has no version.
enum WorkerMessage {
    /// The options that affect results.
    static func options(_ options: ScenarioSuite.Options) -> Frame {
        var parts = [
            bytes(options.checksDeterminism ? "1" : "0"), bytes(options.moments.rawValue),
            bytes(options.maxEvents.map(String.init) ?? ""),
            bytes(options.maxVirtualTime.map { String($0.microseconds) } ?? ""),
            bytes(options.explains ? "1" : "0"), bytes(options.recordsCoverage ? "1" : "0"),
            bytes(options.checksTransformations ? "1" : "0"), bytes(options.condensesPassed ? "1" : "0"),
        ]
        for file in options.profiles.files { parts += [bytes(file.path), file.bytes] }
        return Frame(parts)
    }

    static func options(_ frame: Frame) -> ScenarioSuite.Options? {
        guard frame.parts.count >= 8, frame.parts.count % 2 == 0,
            let moments = ScenarioSuite.Traces(rawValue: text(frame.parts[1]))
        else { return nil }
        var options = ScenarioSuite.Options()
        options.checksDeterminism = text(frame.parts[0]) == "1"
        options.moments = moments
        options.maxEvents = Int(text(frame.parts[2]))
        options.explains = text(frame.parts[4]) == "1"
        options.recordsCoverage = text(frame.parts[5]) == "1"
        options.checksTransformations = text(frame.parts[6]) == "1"
        options.condensesPassed = text(frame.parts[7]) == "1"
        options.maxVirtualTime = Int64(text(frame.parts[3])).map { TimeSpan(microseconds: $0) }
        let files = pairs(frame.parts.dropFirst(8)).map { ScenarioFile(path: text($0.0), bytes: $0.1) }
        options.profiles = ProfileSet(files: files)
        return options
    }

    static func request(_ request: RunRequest) -> Frame {
        var parts = [
            bytes(request.scenario), bytes("\(request.order)"), bytes("\(request.seed)"),
            bytes(request.file.path), request.file.bytes,
        ]
        for file in request.included { parts += [bytes(file.path), file.bytes] }
        return Frame(parts)
    }

    static func request(_ frame: Frame) -> RunRequest? {
        guard frame.parts.count >= 5, frame.parts.count % 2 == 1, let order = Int(text(frame.parts[1])),
            let seed = UInt64(text(frame.parts[2]))
        else { return nil }
        return RunRequest(
            file: RunRequest.File(path: text(frame.parts[3]), bytes: frame.parts[4]),
            included: pairs(frame.parts.dropFirst(5)).map {
                RunRequest.File(path: text($0.0), bytes: $0.1)
            },
            scenario: text(frame.parts[0]), order: order, seed: seed)
    }

    /// A result, the cells that it has reached, and for each failure what its JSON does not have
    /// (``FailureIdentity``): clause, pattern, and the lines of its course.
    static func result(_ result: ScenarioResult) -> Frame {
        let identities = result.failures.map(\.identity).flatMap {
            [$0.clause ?? "", $0.pattern, $0.course.joined(separator: "\n")]
        }
        return Frame([ResultsJSON.bytes(result), bytes(result.cells.encoded)] + identities.map { bytes($0) })
    }

    static func result(_ frame: Frame) throws(ResultsFault) -> ScenarioResult {
        guard frame.parts.count >= 2 else { throw ResultsFault(member: "", why: "no result") }
        var result = try ResultsJSON.readResult(frame.parts[0])
        result.cells = try cells(frame.parts[1])
        let texts = frame.parts.dropFirst(2).map { text($0) }
        guard texts.count == result.failures.count * 3 else {
            throw ResultsFault(member: "", why: "\(texts.count) texts of \(result.failures.count) failures")
        }
        for index in result.failures.indices {
            let own = texts[(index * 3)..<(index * 3 + 3)].map { String($0) }
            result.failures[index].identity.clause = own[0].isEmpty ? nil : own[0]
            result.failures[index].identity.pattern = own[1]
            result.failures[index].identity.course = own[2].split(separator: "\n").map { String($0) }
        }
        return result
    }

    /// A world to draw and run (``WorldTrial``), with the property whose gaps it fills, if any.
    static func world(_ recipe: WorldRecipe, _ basis: WorldBasis?) -> Frame {
        Frame([bytes("world"), bytes(recipe.text)] + (basis.map { [bytes($0.text)] } ?? []))
    }

    /// - Returns: nil for another message.
    static func world(
        _ frame: Frame, profiles: [String]
    ) -> (recipe: WorldRecipe, basis: WorldBasis?)? {
        guard 2...3 ~= frame.parts.count, text(frame.parts[0]) == "world",
            let recipe = WorldRecipe(text(frame.parts[1]))
        else { return nil }
        let basis = frame.parts.dropFirst(2).first.flatMap { WorldBasis(text: text($0), profiles: profiles) }
        return (recipe, basis)
    }

    static func outcome(_ outcome: WorldOutcome) -> Frame {
        let discoveries = outcome.discoveries.map { "\($0.key):\($0.steps)" }.joined(separator: " ")
        var parts = [outcome.recipe.text, "\(outcome.events)", "\(outcome.leftOut)"].map { bytes($0) }
        parts += [bytes(outcome.cells.encoded), bytes(discoveries)]
        switch outcome.end {
        case .passed: parts.append(bytes("passed"))
        case .unfinished: parts.append(bytes("unfinished"))
        case .notDrawn(let why): parts += [bytes("not drawn"), bytes(why)]
        case .found(let result): parts += [bytes("found")] + WorkerMessage.result(result).parts
        }
        return Frame(parts)
    }

    static func outcome(_ frame: Frame) throws(ResultsFault) -> WorldOutcome {
        guard frame.parts.count >= 6, let recipe = WorldRecipe(text(frame.parts[0])),
            let events = Int(text(frame.parts[1])), let leftOut = Int(text(frame.parts[2]))
        else { throw ResultsFault(member: "", why: "no outcome of a world") }
        let end: WorldOutcome.End
        switch (text(frame.parts[5]), frame.parts.count) {
        case ("passed", 6): end = .passed
        case ("unfinished", 6): end = .unfinished
        case ("not drawn", 7): end = .notDrawn(text(frame.parts[6]))
        case ("found", 7...): end = .found(try result(Frame(Array(frame.parts.dropFirst(6)))))
        default: throw ResultsFault(member: "", why: "no outcome of a world")
        }
        var outcome = WorldOutcome(recipe, end: end, events: events, leftOut: leftOut)
        outcome.cells = try cells(frame.parts[3])
        for pair in text(frame.parts[4]).split(separator: " ") {
            let sides = pair.split(separator: ":")
            guard sides.count == 2, let key = Int(sides[0]), let steps = Int(sides[1]) else {
                throw ResultsFault(member: "", why: "no discoveries")
            }
            outcome.discoveries.append(WorldOutcome.Discovery(key: key, steps: steps))
        }
        return outcome
    }

    static func cells(_ bytes: [UInt8]) throws(ResultsFault) -> CoverageTable {
        guard let cells = CoverageTable(encoded: text(bytes)) else {
            throw ResultsFault(member: "", why: "no coverage")
        }
        return cells
    }

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func pairs(_ parts: ArraySlice<[UInt8]>) -> [([UInt8], [UInt8])] {
        stride(from: parts.startIndex, to: parts.endIndex - 1, by: 2).map { (parts[$0], parts[$0 + 1]) }
    }
}
