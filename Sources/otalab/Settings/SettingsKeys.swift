import Core

/// The keys of flags in a settings file: `--report-dir` is `reportDir`.
enum SettingsKeys {
    /// Flags without a key: they select the settings themselves, or have a meaning only in a call.
    private static let excluded = [
        "--help", "--directory", "--config", "--profile", "--program", "--record",
    ]

    static func key(_ option: Option) -> String {
        let parts = option.name.dropFirst(2).split(separator: "-")
        return parts.dropFirst().reduce(String(parts.first ?? "")) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }

    /// The flags that have a key, for one verb or for any, sorted by name and each unique.
    static func options(of verb: Verb?) -> [Option] {
        let all = (verb.map { [$0] } ?? Verb.all).flatMap(\.options)
        var unique: [Option] = []
        for option in all
        where !excluded.contains(option.name) && !unique.contains(where: { $0.name == option.name }) {
            unique.append(option)
        }
        return unique.sorted { $0.name < $1.name }
    }

    static func option(_ key: String, of verb: Verb? = nil) -> Option? {
        options(of: verb).first { SettingsKeys.key($0) == key }
    }

    static func all(of verb: Verb?) -> [String] { options(of: verb).map { key($0) } }

    static func expectedValue(_ option: Option) -> String {
        if option.value == nil { return "true or false" }
        if option.repeats { return "text, or a list of texts" }
        return option.valueIsOptional ? "true, false, or a number" : "text or a number"
    }

    static func help(_ key: String, among candidates: [String]) -> String? {
        if let near = Nearest.to(key, among: candidates) { return "did you mean '\(near)'?" }
        return candidates.isEmpty || candidates.count > 12
            ? "'otalab help settings' is the page of the guide"
            : "there are " + candidates.joined(separator: ", ")
    }

    /// The JSON Schema of the file, for editors.
    static var schema: String {
        var json = JSONWriter(indent: 2)
        json.beginObject()
        json.member("$schema", "http://json-schema.org/draft-07/schema#")
        json.member("title", "Settings of otalab")
        json.member(
            "description", "Values for flags: .otalab.json5. Flags and the environment override them.")
        json.member("type", "object")
        json.member("allowComments", true)
        json.member("allowTrailingCommas", true)
        json.member("additionalProperties", false)
        json.key("properties")
        json.beginObject()
        json.key("schema")
        json.beginObject()
        json.member("const", 1)
        json.endObject()
        json.key("profiles")
        json.beginObject()
        json.member("description", "Profiles by name; without --profile \(Settings.defaultProfile) is used.")
        json.member("type", "object")
        json.key("additionalProperties")
        json.beginObject()
        json.member("$ref", "#/definitions/profile")
        json.endObject()
        json.endObject()
        json.endObject()
        json.key("definitions")
        json.beginObject()
        json.key("profile")
        profile(&json)
        json.endObject()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    private static func profile(_ json: inout JSONWriter) {
        json.beginObject()
        json.member("type", "object")
        json.member("additionalProperties", false)
        json.key("properties")
        json.beginObject()
        json.key("inherits")
        json.beginObject()
        json.member("description", "Another profile, whose values apply unless this one sets them.")
        json.member("type", "string")
        json.endObject()
        for option in options(of: nil) { property(option, &json) }
        for verb in Verb.all where !options(of: verb).isEmpty {
            json.key(verb.name)
            json.beginObject()
            json.member("description", "For otalab \(verb.name) alone: \(verb.summary).")
            json.member("type", "object")
            json.member("additionalProperties", false)
            json.key("properties")
            json.beginObject()
            for option in options(of: verb) { property(option, &json) }
            json.endObject()
            json.endObject()
        }
        json.endObject()
        json.endObject()
    }

    private static func property(_ option: Option, _ json: inout JSONWriter) {
        json.key(key(option))
        json.beginObject()
        json.member("description", option.help)
        json.member(
            "type",
            ["boolean"] + (option.value == nil ? [] : ["string", "integer"])
                + (option.repeats ? ["array"] : []))
        json.endObject()
    }
}
