import Core
import Foundation
import ScenarioLanguage

/// Reads a settings file and checks it against the option table.
struct SettingsReader {
    private let file: SourceFile
    /// The prefix for paths in the file, which are relative to the file's folder.
    private let folder: String
    private var diagnostics: [Diagnostic] = []

    /// A profile as it is in the file.
    private struct Profile {
        var name: String
        var nameSpan: SourceSpan
        var inherits: (name: String, span: SourceSpan)?
        var values: [Settings.Value] = []
    }

    /// - Parameter profile: nil for `default`, which need not exist.
    static func read(path: String, bytes: [UInt8], profile: String?) throws(SettingsError) -> Settings {
        var reader = SettingsReader(path: path, bytes: bytes)
        let root: JSONNode
        do throws(JSONFault) {
            root = try JSONReader.read(bytes, dialect: .json5, limits: ScenarioReader.limits)
        } catch {
            throw SettingsError(diagnostics: [Diagnostic(syntax: error, in: reader.file)])
        }
        let profiles = reader.profiles(root)
        let values = reader.chain(
            profile ?? Settings.defaultProfile, profiles, root, isRequired: profile != nil)
        if !reader.diagnostics.isEmpty {
            throw SettingsError(diagnostics: reader.diagnostics.sorted { $0.span.start < $1.span.start })
        }
        return Settings(path: path, profile: profile ?? Settings.defaultProfile, values: values)
    }

    private init(path: String, bytes: [UInt8]) {
        file = SourceFile(path: path, bytes: bytes)
        folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    private mutating func report(
        _ code: DiagnosticCode, _ message: String, _ label: String, at span: SourceSpan, help: String? = nil
    ) {
        diagnostics.append(Diagnostic(code, message, label: label, file: file, at: span, help: help))
    }

    // MARK: - Profiles

    private mutating func profiles(_ root: JSONNode) -> [Profile] {
        guard let members = root.members else {
            report(
                .wrongType, "a settings file holds one object", "this is \(root.kindName)", at: root.span,
                help: "write { profiles: { default: { … } } }")
            return []
        }
        for member in members where !["schema", "profiles"].contains(member.key) {
            let isFlag = SettingsKeys.option(member.key) != nil || Verb.named(member.key) != nil
            report(
                .unknownKey, "unknown key '\(member.key)' in the settings", "not a key of the settings",
                at: member.keySpan,
                help: isFlag
                    ? "write profiles: { default: { \(member.key): … } }"
                    : SettingsKeys.help(member.key, among: ["schema", "profiles"]))
        }
        if let schema = root["schema"], schema.integer != 1 {
            report(
                .unsupportedSchema, "unknown schema version", "this program reads 1", at: schema.span)
        }
        guard let profiles = root["profiles"] else { return [] }
        guard let members = profiles.members else {
            report(
                .wrongType, "'profiles' takes an object", "this is \(profiles.kindName)", at: profiles.span)
            return []
        }
        return members.map { profile($0) }
    }

    private mutating func profile(_ member: JSONMember) -> Profile {
        var profile = Profile(name: member.key, nameSpan: member.keySpan)
        guard let entries = member.value.members else {
            report(
                .wrongType, "the profile '\(member.key)' takes an object", "this is \(member.value.kindName)",
                at: member.value.span)
            return profile
        }
        for entry in entries where entry.key != "inherits" {
            if let verb = Verb.named(entry.key) {
                guard let inner = entry.value.members else {
                    report(
                        .wrongType, "'\(verb.name)' takes an object of its flags",
                        "this is \(entry.value.kindName)", at: entry.value.span)
                    continue
                }
                for flag in inner { value(flag, verb, &profile) }
            } else {
                value(entry, nil, &profile)
            }
        }
        // A verb's own values come before those of all verbs.
        profile.values = profile.values.filter { $0.verb != nil } + profile.values.filter { $0.verb == nil }
        if let parent = member.value["inherits"] {
            if let name = parent.string {
                profile.inherits = (name, parent.span)
            } else {
                report(
                    .wrongType, "'inherits' takes a profile's name", "this is \(parent.kindName)",
                    at: parent.span)
            }
        }
        return profile
    }

    /// The profile's values, then those of what it inherits.
    private mutating func chain(
        _ name: String, _ profiles: [Profile], _ root: JSONNode, isRequired: Bool
    ) -> [Settings.Value] {
        let names = profiles.map(\.name)
        for profile in profiles {
            guard let parent = profile.inherits else { continue }
            guard names.contains(parent.name) else {
                report(
                    .unknownName, "there is no profile '\(parent.name)'", "nothing to inherit from",
                    at: parent.span, help: SettingsKeys.help(parent.name, among: names))
                continue
            }
            var seen = [profile.name]
            var next = profile.inherits?.name
            while let name = next, !seen.contains(name) {
                seen.append(name)
                next = profiles.first { $0.name == name }?.inherits?.name
            }
            if next == profile.name {
                report(
                    .cycle, "the profile '\(profile.name)' inherits from itself",
                    "the inheritance is a cycle",
                    at: parent.span)
            }
        }
        guard diagnostics.isEmpty else { return [] }
        guard names.contains(name) else {
            if isRequired {
                report(
                    .unknownName, "there is no profile '\(name)'", "requested with --profile",
                    at: root["profiles"]?.span ?? root.span, help: SettingsKeys.help(name, among: names))
            }
            return []
        }
        var values: [Settings.Value] = []
        var next: String? = name
        while let name = next, let profile = profiles.first(where: { $0.name == name }) {
            values += profile.values
            next = profile.inherits?.name
        }
        return values
    }

    // MARK: - Values

    private mutating func value(_ member: JSONMember, _ verb: Verb?, _ profile: inout Profile) {
        guard let option = SettingsKeys.option(member.key, of: verb) else {
            let context = verb.map { "\($0.name)" } ?? "a profile"
            report(
                .unknownKey, "unknown key '\(member.key)' in \(context)",
                verb.map { "not a flag of otalab \($0.name)" } ?? "no flag of any verb", at: member.keySpan,
                help: SettingsKeys.help(member.key, among: SettingsKeys.all(of: verb) + ["inherits"]))
            return
        }
        let start = file.position(of: member.value.span.start)
        var value = Settings.Value(
            option: option.name, verb: verb?.name, position: "\(file.path):\(start.line):\(start.column)")
        if let isOn = member.value.bool, option.value == nil || option.valueIsOptional || !isOn {
            value.isOff = !isOn
        } else if option.value != nil, let text = SettingsReader.text(member.value) {
            value.texts = [resolved(text, option)]
        } else if option.repeats, let elements = member.value.array {
            for element in elements where SettingsReader.text(element) == nil {
                report(
                    .wrongType, "'\(member.key)' takes text", "this is \(element.kindName)", at: element.span)
            }
            value.texts = elements.compactMap { SettingsReader.text($0) }.map { resolved($0, option) }
        } else {
            report(
                .wrongType, "'\(member.key)' takes \(SettingsKeys.expectedValue(option))",
                "this is \(member.value.kindName)", at: member.value.span, help: option.help)
            return
        }
        profile.values.append(value)
    }

    private static func text(_ node: JSONNode) -> String? { node.string ?? node.integer.map { "\($0)" } }

    /// The value with its path relative to the working folder. A value that may be a path or an id is taken
    /// for an id if no such file exists.
    private func resolved(_ text: String, _ option: Option) -> String {
        guard !folder.isEmpty else { return text }
        switch option.offer {
        case .folders: return text.hasPrefix("/") ? text : folder + text
        case .files:
            let exists = FileManager.default.fileExists(atPath: folder + text)
            return text.hasPrefix("/") || !exists ? text : folder + text
        case .nothing, .choices:
            guard option.name == Option.output.name, let equal = text.firstIndex(of: "=") else { return text }
            let path = text[text.index(after: equal)...]
            return path.hasPrefix("/") || path == "-" ? text : text[...equal] + folder + path
        }
    }
}
