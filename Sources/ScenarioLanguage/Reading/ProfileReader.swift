import Core

/// What a device profile says, or what is wrong with it.
package struct ProfileReading: Hashable, Sendable {
    package var file: SourceFile
    /// The file's name without extension, also when there is an error.
    package var name: String
    /// nil when there is an error.
    package var profile: ProfileSpec?
    /// In the order of the file.
    package var diagnostics: [Diagnostic]
}

/// Reads device profiles: bytes to tree (Core), the tree against the field table, then to the model.
///
/// Promises: a profile comes back whole or not at all; all mistakes of a file are told at once, each with
/// its place; a line without its evidence is a mistake. Deliberately not here: where the files lie.
package enum ProfileReader {
    package static func read(path: String, bytes: [UInt8]) -> ProfileReading {
        let file = SourceFile(path: path, bytes: bytes)
        var reading = ProfileReading(file: file, name: name(of: path), diagnostics: [])
        do throws(JSONFault) {
            let root = try JSONReader.read(bytes, dialect: .json5, limits: ScenarioReader.limits)
            guard root.members != nil else {
                reading.diagnostics = [
                    Diagnostic(
                        .wrongType, "a device profile holds one object", label: "this is \(root.kindName)",
                        file: file, at: root.headSpan)
                ]
                return reading
            }
            var checker = TreeChecker(file: file, names: Names(root, devices: []))
            let record = checker.record(root, in: .profile)
            reading.diagnostics = checker.diagnostics.sorted { $0.span.start < $1.span.start }
            if let record, checker.diagnostics.isEmpty { decode(record, &reading) }
        } catch {
            reading.diagnostics = [Diagnostic(syntax: error, in: file)]
        }
        return reading
    }

    /// `ios-17` of `Scenarios/profiles/ios-17.json5`.
    package static func name(of path: String) -> String {
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last.map { Substring($0) } ?? ""
        guard let dot = last.utf8.lastIndex(of: UInt8(ascii: ".")), dot > last.startIndex else {
            return String(last)
        }
        return String(last[..<dot])
    }

    private static func decode(_ record: Record, _ reading: inout ProfileReading) {
        do throws(ScenarioDecoder.Gap) {
            reading.profile = try ProfileDecoder(file: reading.file, name: reading.name).profile(record)
        } catch {
            reading.diagnostics = [
                Diagnostic(
                    .conflict, "'\(error.what)' is not said here", label: "needed", file: reading.file,
                    at: SourceSpan(start: error.span.start, end: error.span.start + 1))
            ]
        }
    }
}

/// Builds the model from a checked record.
struct ProfileDecoder {
    let file: SourceFile
    let name: String

    func profile(_ record: Record) throws(ScenarioDecoder.Gap) -> ProfileSpec {
        ProfileSpec(
            source: file, name: name, title: try need(record.text("title"), "title", record),
            platform: try word("platform", record), bootID: try word("bootId", record),
            exits: try exits(record),
            backgroundBudget: try duration("backgroundBudget", record),
            socketsSurviveSuspension: try flag("socketsSurviveSuspension", record),
            reload: try word("reload", record), tellsReload: try flag("tellsReload", record),
            latency: try duration("latency", record), bandwidth: try whole("bandwidth", record),
            crashModel: try word("crashModel", record), sync: try word("sync", record),
            sectors: try word("sectors", record), names: try word("names", record),
            storage: try need(line("storage", record).bytes("is"), "storage", record).value,
            diskCall: try duration("diskCall", record), fileSync: try duration("fileSync", record),
            folderSync: try duration("folderSync", record), diskReads: try whole("diskReads", record),
            diskWrites: try whole("diskWrites", record), evidence: evidence(record))
    }

    private func need<Result>(
        _ value: Result?, _ what: String, _ record: Record
    ) throws(ScenarioDecoder.Gap) -> Result {
        guard let value else { throw ScenarioDecoder.Gap(what: what, span: record.span) }
        return value
    }

    private func line(_ key: String, _ record: Record) throws(ScenarioDecoder.Gap) -> Record {
        try need(record.record(key), key, record)
    }

    private func word<Word: RawRepresentable>(
        _ key: String, _ record: Record
    ) throws(ScenarioDecoder.Gap) -> Word where Word.RawValue == String {
        try need(line(key, record).word("is", Word.self), key, record).value
    }

    private func flag(_ key: String, _ record: Record) throws(ScenarioDecoder.Gap) -> Bool {
        try need(line(key, record).flag("is"), key, record).value
    }

    private func whole(_ key: String, _ record: Record) throws(ScenarioDecoder.Gap) -> Int {
        try need(line(key, record).whole("is"), key, record).value
    }

    private func duration(_ key: String, _ record: Record) throws(ScenarioDecoder.Gap) -> TimeSpan {
        try need(line(key, record).duration("is"), key, record).value
    }

    private func exits(_ record: Record) throws(ScenarioDecoder.Gap) -> [ExitSpec] {
        var exits: [ExitSpec] = []
        for entry in try need(line("exits", record).record("is"), "exits", record).entries {
            let word = entry.value.text.flatMap { ExitWord(rawValue: $0.value) }
            exits.append(
                ExitSpec(
                    end: try need(DeathCause(rawValue: entry.key), entry.key, record),
                    record: try need(word, entry.key, record)))
        }
        return exits
    }

    private func evidence(_ record: Record) -> [ProfileSpec.Evidence] {
        record.entries.compactMap { entry in
            entry.value.record?.text("because").map {
                ProfileSpec.Evidence(key: entry.key, because: $0.value)
            }
        }
    }
}
