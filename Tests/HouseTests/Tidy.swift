import Foundation

/// Rules for the source files, checked as text: words that pure modules must not use, imports that point only
/// down, and lengths.
struct Tidy {
    struct Source {
        var path: String
        var text: String

        /// Module of the file: `Core` for `Sources/Core/Time/Instant.swift`.
        var module: String? {
            let parts = path.split(separator: "/")
            return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
        }

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    }

    struct Finding: Equatable, CustomStringConvertible {
        var path: String
        var line: Int
        var what: String

        var description: String { "\(path):\(line): \(what)" }
    }

    static let pure = [
        "Core", "HTTP1", "Updater", "LocalServer", "ScenarioLanguage", "AppHost", "DevelopmentHost",
        "Backend",
        "World",
    ]
    /// Modules that may use Foundation, because the state of a run contains nothing of them.
    static let upper = [
        "DeviceShellHTTPS", "ReferenceModel", "Oracle", "Runner", "Authoring", "Search", "Live",
        "OriginServer", "Subject", "Reporting", "otalab",
    ]
    /// System modules that DeviceShell may import: the C library, threads and locks.
    static let surroundings = [
        "Glibc", "Darwin", "Musl", "Bionic", "Android", "LinuxSystem", "Dispatch", "Synchronization",
    ]
    /// Modules of Apple's SDK that OTAHostWebKit may import, and Foundation.
    static let sdk = ["AppKit", "CryptoKit", "Dispatch", "Foundation", "Network", "UIKit", "WebKit"]
    /// The only C with code in the package, and the module that may import it.
    static let instructions = (name: "SHA256Instructions", importer: "Core")
    static let banned = [
        "Set<", "Dictionary", "Double", "Float", "Hasher", "hashValue", "try?", "Date()", "Task {", "Task(",
        "async ",
        "await ", "DispatchQueue", "ContinuousClock", "SuspendingClock", "SystemRandomNumberGenerator",
        ".random(", "as Any", "try!",
    ]
    /// Modules that an app links: they meet numbers from outside (`UntrustedInteger`).
    static let shipped = [
        "Core", "HTTP1", "Updater", "LocalServer", "AppHost", "DeviceShell", "DeviceShellHTTPS", "OTAHost",
        "OTAHostWebKit",
    ]
    /// The files that may take the plain number out of an `UntrustedInteger`, because they know its bounds.
    static let boundingFiles = [
        // a port: 0 to 65,535
        "Sources/HTTP1/Authority.swift",
        // bytes of a body that are still missing: at most those that are here are taken
        "Sources/HTTP1/BodyReader.swift",
        // bytes of a file: 0 to its size
        "Sources/HTTP1/ByteRange.swift",
        // a delay: 0 to 24 h
        "Sources/Updater/Checks/HeaderFields+Response.swift", "Sources/Updater/Checks/OriginDelay.swift",
        "Sources/Updater/Starts/StartsFile.swift",
        // a size in bytes: 0 to 2⁵³ − 1, a hint of one: 0 to 2³²
        "Sources/Updater/Manifest/ManifestNode.swift", "Sources/Updater/Manifest/MeteorManifest.swift",
        // a size that a response announces: 0 to the limit of a file
        "Sources/Updater/Download/DownloadAssets.swift",
        // counts and times of the store's files, each with a limit
        "Sources/Updater/Download/FinishedAssets.swift", "Sources/Updater/Record/RecordReader.swift",
        "Sources/Updater/Starts/UnreadContent.swift",
        "Sources/Updater/Store/TableReading.swift",
    ]
    static let longestFile = 500
    static let longestFunction = 80
    /// Longest line of a comment; the formatter checks code.
    static let widest = 110

    /// The modules each module may import, from the package's manifest.
    var allowed: [String: [String]]

    /// Parses `module("X", ["A", "B"])` and the executable's dependencies in the text of the manifest.
    init(manifest: String) {
        allowed = [:]
        let pattern = #/module\(\s*"(\w+)"(?:,\s*\[([^\]]*)\])?\s*\)/#
        for match in manifest.matches(of: pattern) {
            allowed[String(match.1)] = Tidy.names(match.2.map(String.init) ?? "")
        }
        let program = #/executableTarget\(\s*name: "(\w+)",\s*dependencies: \[([^\]]*)\]/#
        if let match = manifest.firstMatch(of: program) {
            allowed[String(match.1)] = Tidy.names(String(match.2))
        }
    }

    private static func names(_ list: String) -> [String] {
        list.matches(of: #/"(\w+)"/#).map { String($0.1) }
    }

    /// The layers of the drawing in a README, the highest first: the module names that a line of its code
    /// block begins with.
    func layers(drawnIn readme: String) -> [[String]] {
        guard let heading = readme.range(of: "## How it is built"),
            let begin = readme.range(of: "```\n", range: heading.upperBound..<readme.endIndex),
            let end = readme.range(of: "```", range: begin.upperBound..<readme.endIndex)
        else { return [] }
        return readme[begin.upperBound..<end.lowerBound].split(separator: "\n").map { line in
            line.split(separator: " ").map(String.init).prefix { allowed[$0] != nil }.map(\.self)
        }
    }

    /// Modules that the drawing leaves out or has twice, and imports that don't point down in it.
    func findings(inDrawing layers: [[String]]) -> [String] {
        var found: [String] = []
        for (module, imports) in allowed.sorted(by: { $0.key < $1.key }) {
            let own = layers.indices.filter { layers[$0].contains(module) }
            guard own.count == 1 else {
                found.append("\(module) is drawn \(own.count) times")
                continue
            }
            for name in imports
            where allowed[name] != nil && !layers[(own[0] + 1)...].contains(where: { $0.contains(name) }) {
                found.append("\(module) imports \(name), which is not drawn below it")
            }
        }
        return found
    }

    func findings(in sources: [Source]) -> [Finding] { sources.flatMap(findings) }

    func findings(in source: Source) -> [Finding] {
        let lines = source.text.components(separatedBy: "\n")
        var found: [Finding] = []
        if lines.count > Tidy.longestFile + 1 {
            found.append(Finding(path: source.path, line: 1, what: "\(lines.count - 1) lines"))
        }
        for (number, line) in lines.enumerated()
        where line.unicodeScalars.count > Tidy.widest && line.contains(#/^\s*\/\//#) {
            found.append(
                Finding(path: source.path, line: number + 1, what: "a comment wider than \(Tidy.widest)"))
        }
        let code = Code.lines(of: source.text)
        found += imports(source, code) + functions(source, code) + numbers(source, code)
        if let module = source.module, Tidy.pure.contains(module), source.name != "LookupTable.swift" {
            found += bans(source, module, code)
        }
        return found
    }

    private func bans(_ source: Source, _ module: String, _ code: [String]) -> [Finding] {
        var found: [Finding] = []
        for (number, line) in code.enumerated() {
            for word in Tidy.banned where Tidy.has(word, in: line) {
                if word == "Hasher", module == "Core" { continue }
                found.append(Finding(path: source.path, line: number + 1, what: "banned: \(word)"))
            }
            if line.contains(#/\[[A-Z]\w*\??: [A-Z\[]/#) || line.contains("[:]") {
                found.append(Finding(path: source.path, line: number + 1, what: "banned: a dictionary type"))
            }
        }
        return found
    }

    /// Whether a text contains a whole word: `try?` is not found in `Entry?`.
    private static func has(_ word: String, in line: String) -> Bool {
        var rest = line[...]
        while let range = rest.range(of: word) {
            let before = line[..<range.lowerBound].last
            let isInside =
                (word.first?.isLetter ?? false) && (before.map { $0.isLetter || $0 == "_" } ?? false)
            if !isInside { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }

    /// Plain numbers from outside in files that don't know their bounds, and sums of plain times, which trap
    /// where those of `TimeSpan`, `Instant` and `OriginTime` don't.
    private func numbers(_ source: Source, _ code: [String]) -> [Finding] {
        guard let module = source.module, Tidy.shipped.contains(module) else { return [] }
        let knowsBounds =
            Tidy.boundingFiles.contains(source.path) || source.path.hasPrefix("Sources/Core/Numbers/")
        let isTime = source.path.hasPrefix("Sources/Core/Time/")
        var found: [Finding] = []
        for (number, line) in code.enumerated() {
            // Of a `JSONNode`, which the readers of messages use; that of a `JSONValue` is no plain number.
            if !["Core", "Updater"].contains(module), line.contains(#/\.integer\b/#) {
                found.append(Finding(path: source.path, line: number + 1, what: "a plain number of JSON"))
            }
            if !knowsBounds, line.contains(#/\.(bounded\(by|clamped\(to):/#) {
                found.append(
                    Finding(path: source.path, line: number + 1, what: "a plain number from outside"))
            }
            let isSum =
                line.contains(#/\.(microseconds|seconds)(, \w+)?\)? &?[-+*] /#)
                || line.contains(#/ &?[-+*] [\w.]+\.(microseconds|seconds)([^\w(]|$)/#)
            if !isTime, isSum {
                found.append(Finding(path: source.path, line: number + 1, what: "a sum of plain times"))
            }
        }
        return found
    }

    private func imports(_ source: Source, _ code: [String]) -> [Finding] {
        guard let module = source.module else { return [] }
        var found: [Finding] = []
        for (number, line) in code.enumerated() {
            guard line.contains("import "),
                let match = line.firstMatch(of: #/^\s*(?:@testable )?(?:public )?import (\w+)/#)
            else {
                continue
            }
            let name = String(match.1)
            let isRoom = allowed[name] != nil || name == Tidy.instructions.name
            let isFine: Bool
            if isRoom {
                isFine = allowed[module]?.contains(name) ?? false
            } else if module == "DeviceShell" {
                isFine = Tidy.surroundings.contains(name)
            } else if module == "OTAHostWebKit" {
                isFine = Tidy.sdk.contains(name)
            } else {
                isFine = Tidy.upper.contains(module)
            }
            if !isFine {
                found.append(Finding(path: source.path, line: number + 1, what: "\(module) imports \(name)"))
            }
        }
        return found
    }

    /// Functions with their lengths, from the line with `func` or `init` to the closing brace.
    private func functions(_ source: Source, _ code: [String]) -> [Finding] {
        var found: [Finding] = []
        for (number, line) in code.enumerated() {
            guard line.contains("func ") || line.contains("init"),
                line.contains(#/(^|\s)(func [^\s(]+|init\??)(<|\()/#), !line.contains("protocol ")
            else {
                continue
            }
            var depth = 0
            var hasBegun = false
            for (offset, inner) in code[number...].enumerated() {
                for character in inner {
                    if character == "{" { depth += 1; hasBegun = true }
                    if character == "}" { depth -= 1 }
                }
                if hasBegun, depth <= 0 {
                    if offset + 1 > Tidy.longestFunction {
                        let what = "a function of \(offset + 1) lines"
                        found.append(Finding(path: source.path, line: number + 1, what: what))
                    }
                    break
                }
                if !hasBegun, offset > 12 { break }
            }
        }
        return found
    }
}

/// Swift text without comments and without the content of string literals, line for line.
enum Code {
    static func lines(of text: String) -> [String] {
        var result: [String] = []
        var isInBlock = false
        var closing: String?
        for line in text.components(separatedBy: "\n") {
            var kept = ""
            var rest = Substring(line)
            while let character = rest.first {
                if isInBlock {
                    if rest.hasPrefix("*/") {
                        isInBlock = false; rest = rest.dropFirst(2)
                    } else {
                        rest = rest.dropFirst()
                    }
                } else if let end = closing {
                    if end == "\"", rest.hasPrefix("\\\\") || rest.hasPrefix("\\\"") {
                        rest = rest.dropFirst(2)
                    } else if rest.hasPrefix(end) {
                        rest = rest.dropFirst(end.count)
                        closing = nil
                        kept += "\""
                    } else {
                        rest = rest.dropFirst()
                    }
                } else if rest.hasPrefix("//") {
                    break
                } else if rest.hasPrefix("/*") {
                    isInBlock = true
                } else if let (opening, end) = literal(rest) {
                    closing = end
                    kept += "\""
                    rest = rest.dropFirst(opening)
                } else {
                    kept.append(character)
                    rest = rest.dropFirst()
                }
            }
            if closing == "\"" { closing = nil }
            result.append(kept)
        }
        return result
    }

    private static func literal(_ rest: Substring) -> (Int, String)? {
        // Most characters begin none.
        guard rest.first == "\"" || rest.first == "#" else { return nil }
        for (opening, end) in [("#\"\"\"", "\"\"\"#"), ("\"\"\"", "\"\"\""), ("#\"", "\"#"), ("\"", "\"")]
        where rest.hasPrefix(opening) {
            return (opening.count, end)
        }
        return nil
    }
}
