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
/// Guarantees: a profile comes back whole or not at all; all mistakes of a file are told at once,
/// each with its place; a line without its evidence is a mistake. Deliberately not here: where the files
/// lie.
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
            var checker = SchemaValidator(file: file, names: DeclaredNames(root, devices: []))
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
        do throws(RecordDecodingError) {
            var profile = try FieldTable.profile.read(record)
            profile.source = reading.file
            profile.name = reading.name
            reading.profile = profile
        } catch {
            reading.diagnostics = [
                Diagnostic(
                    .conflict, "'\(error.what)' is not said here", label: "needed", file: reading.file,
                    at: SourceSpan(start: error.span.start, end: error.span.start + 1))
            ]
        }
    }
}
