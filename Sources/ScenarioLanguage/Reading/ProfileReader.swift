import Core

/// The result of reading a device profile: the profile, or what is wrong with it.
package struct ProfileReading: Hashable, Sendable {
    package var file: SourceFile
    /// Name of the file without its extension, also after an error.
    package var name: String
    /// The profile; nil after an error.
    package var profile: ProfileSpec?
    /// Diagnostics in the order of the file.
    package var diagnostics: [Diagnostic]
}

/// Reads device profiles: parses the bytes (Core), validates the tree against the field table, and decodes
/// it.
///
/// Guarantees: a profile is returned completely or not at all; all mistakes of a file are reported at once,
/// each with its position; a value without evidence is a mistake. Deliberately not here: finding the files.
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
                    .conflict, "'\(error.what)' is missing here", label: "needed", file: reading.file,
                    at: SourceSpan(start: error.span.start, end: error.span.start + 1))
            ]
        }
    }
}
