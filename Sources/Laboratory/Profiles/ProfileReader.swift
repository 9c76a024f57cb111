import Core
import ScenarioLanguage
import Updater
import World

/// Reads a device profile: a JSON5 object in which every line but the name is
/// `key: { is: value, because: "evidence" }`.
///
/// Promises: a profile comes back whole or not at all; every mistake of a file is told, with its place.
/// A profile without evidence for a line is a mistake: a made-up device proves nothing.
public struct ProfileReader {
    private let file: SourceFile
    private var diagnostics: [Diagnostic] = []
    private var evidence: [String] = []

    /// What a file says, or what is wrong with it.
    public static func read(path: String, bytes: [UInt8]) -> (profile: DeviceProfile?, [Diagnostic]) {
        let file = SourceFile(path: path, bytes: bytes)
        do throws(JSONFault) {
            let root = try JSONReader.read(bytes, dialect: .json5)
            var reader = ProfileReader(file: file)
            let profile = reader.profile(root)
            return (reader.diagnostics.isEmpty ? profile : nil, reader.diagnostics)
        } catch {
            let diagnostic = Diagnostic(
                .syntax, error.message, label: error.label, file: file, at: error.span, help: error.help)
            return (nil, [diagnostic])
        }
    }

    private init(file: SourceFile) { self.file = file }

    static let keys = [
        "name", "platform", "bootId", "exits", "backgroundBudget", "latency", "bandwidth", "disk",
        "crashModel", "reload", "tellsReload", "socketsSurviveSuspension",
    ]

    private mutating func profile(_ root: JSONNode) -> DeviceProfile? {
        guard let members = root.members else {
            tell(.wrongType, "a profile is one object", root.span)
            return nil
        }
        checkKeys(members)
        guard let name = root["name"]?.string, !name.isEmpty else {
            tell(
                .missingKey, "a profile needs a name",
                SourceSpan(start: root.span.start, end: root.span.start + 1))
            return nil
        }
        let platform = word("platform", root, ["ios": "ios", "android": "android"]) ?? "ios"
        var profile = DeviceProfile(name: name, platform: platform)
        profile.tellsBootID = word("bootId", root, ["told": true, "not told": false]) ?? true
        profile.exits = exits(root)
        if let budget = duration("backgroundBudget", root) { profile.backgroundBudget = budget }
        if let latency = duration("latency", root) { profile.link.latency = latency }
        if let bandwidth = bandwidth(root) { profile.link.bandwidth = bandwidth }
        profile.diskCost = word("disk", root, ["phone": DiskCost.phone, "worn phone": .wornPhone]) ?? .phone
        profile.diskProfile = word("crashModel", root, ProfileReader.crashModels) ?? .strict
        profile.reload =
            word("reload", root, ["document only": ReloadBehaviour.documentOnly, "everything": .everything])
            ?? .documentOnly
        profile.tellsReload = flag("tellsReload", root) ?? true
        profile.socketsSurviveSuspension = flag("socketsSurviveSuspension", root) ?? false
        profile.evidence = evidence
        return profile
    }

    private static var crashModels: KeyValuePairs<String, CrashProfile> {
        [
            "strict": .strict, "journal": .journal, "writeback": .writeback, "apple": .apple,
            "prefix": .prefix, "alice": .alice,
        ]
    }

    private mutating func checkKeys(_ members: [JSONMember]) {
        for member in members where !ProfileReader.keys.contains(member.key) {
            tell(
                .unknownKey, "unknown key '\(member.key)' in a profile", member.keySpan,
                help: "the keys are " + ProfileReader.keys.joined(separator: ", "))
        }
    }

    // MARK: - Lines

    /// The value of a line, its evidence taken down.
    private mutating func value(_ key: String, _ root: JSONNode) -> JSONNode? {
        guard let line = root[key] else {
            tell(
                .missingKey, "the profile does not say '\(key)'",
                SourceSpan(start: root.span.start, end: root.span.start + 1))
            return nil
        }
        guard let value = line["is"], let because = line["because"]?.string, !because.isEmpty else {
            tell(
                .missingKey, "'\(key)' needs a value and its evidence", line.span,
                help: "write \(key): { is: …, because: \"…\" }")
            return nil
        }
        evidence.append("\(key): \(because)")
        return value
    }

    private mutating func word<Value>(
        _ key: String, _ root: JSONNode, _ words: KeyValuePairs<String, Value>
    ) -> Value? {
        guard let node = value(key, root) else { return nil }
        if let text = node.string, let found = words.first(where: { $0.key == text }) { return found.value }
        tell(
            .wrongWord, "'\(key)' is one of " + words.map { "\"\($0.key)\"" }.joined(separator: ", "),
            node.span)
        return nil
    }

    private mutating func flag(_ key: String, _ root: JSONNode) -> Bool? {
        guard let node = value(key, root) else { return nil }
        if let flag = node.bool { return flag }
        tell(.wrongType, "'\(key)' is true or false", node.span)
        return nil
    }

    private mutating func exits(_ root: JSONNode) -> [ExitRow] {
        guard let node = value("exits", root) else { return [] }
        var rows: [ExitRow] = []
        for member in node.members ?? [] {
            guard let cause = WorldDeathCause(rawValue: member.key) else {
                tell(
                    .wrongWord, "no process ends of '\(member.key)'", member.keySpan,
                    help: "causes are " + WorldDeathCause.allCases.map(\.rawValue).joined(separator: ", "))
                continue
            }
            guard let record = member.value.string.flatMap(ExitRecord.init(rawValue:)) else {
                tell(
                    .wrongWord, "this is no exit record", member.value.span,
                    help: "records are " + ExitRecord.allCases.map(\.rawValue).joined(separator: ", "))
                continue
            }
            rows.append(ExitRow(cause, record))
        }
        return rows
    }

    private mutating func duration(_ key: String, _ root: JSONNode) -> TimeSpan? {
        guard let node = value(key, root) else { return nil }
        if let (number, unit) = node.string.flatMap(ProfileReader.quantity) {
            switch unit {
            case "ms": return .milliseconds(number)
            case "s": return .seconds(number)
            case "m": return .minutes(number)
            default: break
            }
        }
        tell(.badQuantity, "'\(key)' is a duration", node.span, help: "write it like \"30s\" or \"50ms\"")
        return nil
    }

    private mutating func bandwidth(_ root: JSONNode) -> Int? {
        guard let node = value("bandwidth", root) else { return nil }
        if let (number, unit) = node.string.flatMap(ProfileReader.quantity), number > 0 {
            switch unit {
            case "kbit/s": return Int(number) * 1_000
            case "Mbit/s": return Int(number) * 1_000_000
            default: break
            }
        }
        tell(.badQuantity, "'bandwidth' is bits a second", node.span, help: "write it like \"10 Mbit/s\"")
        return nil
    }

    /// A whole number of at most seven digits and what stands behind it.
    private static func quantity(_ text: String) -> (Int64, String)? {
        let digits = text.utf8.prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard (1...7).contains(digits.count), let number = Int64(String(Substring(digits))) else {
            return nil
        }
        let rest = text.utf8.dropFirst(digits.count).drop { $0 == 0x20 }
        return (number, String(Substring(rest)))
    }

    private mutating func tell(
        _ code: DiagnosticCode, _ message: String, _ span: SourceSpan, help: String? = nil
    ) {
        diagnostics.append(Diagnostic(code, message, file: file, at: span, help: help))
    }
}
