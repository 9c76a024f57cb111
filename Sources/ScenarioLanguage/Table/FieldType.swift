/// The type of a value: for validation, the JSON Schema and the reference.
package indirect enum FieldType: Hashable, Sendable {
    /// Any text except the empty one.
    case text
    case flag
    /// `true` and nothing else: for verbs without an argument.
    case yes
    case null
    case whole(ClosedRange<Int64>)
    case duration, size, percent, amount, route
    /// A duration with its sign: `"+1h"`, `"-90s"`.
    case signedDuration
    /// A route with a query and a fragment, if any.
    case target
    /// Any value: a value of the cases, which is validated where it is used.
    case anything
    /// Bits and bytes per second.
    case bitRate, byteRate
    /// One of these keywords.
    case keyword([String])
    /// A name that the file declares.
    case name(NameKind)
    /// A keyword followed by a value: `"after 9s"`.
    case prefixed(String, FieldType)
    case userAction, fileReference, damageTarget, crashOutcome
    /// A list with at least `least` elements.
    case list(FieldType, least: Int)
    /// A list that must match exactly, or `{ has, hasNot }`.
    case listing(FieldType)
    /// A number of that type, or `{ atLeast, atMost, between, exact }`.
    case bounds(FieldType)
    case object(ObjectSchema)
    /// An object with keys of the author's choice.
    case map(key: FieldType, FieldType)
    case either([FieldType])

    /// The keywords of an enum: its raw values.
    package static func keywords<Keyword: CaseIterable & RawRepresentable>(of type: Keyword.Type)
        -> FieldType
    where Keyword.RawValue == String {
        .keyword(type.allCases.map(\.rawValue))
    }

    package static func nullable(_ type: FieldType) -> FieldType { .either([.null, type]) }

    /// One value, or a list.
    package static func oneOrMore(_ type: FieldType) -> FieldType { .either([type, .list(type, least: 1)]) }

    /// A count that is plausible in a scenario.
    package static let count = FieldType.whole(0...1_000_000_000)
}

/// Kinds of names in a scenario file.
package enum NameKind: String, CaseIterable, Hashable, Sendable {
    case version, edge, build, native, device, mark
    /// A key that signs manifests.
    case key
    /// A device of a scenario with several devices.
    case handset
    /// A route of a version.
    case file
    /// A page load, named with `as` in a launch, relaunch or page step.
    case page
    /// A fault, named with `as` in its step.
    case fault
    /// Any step, named with `as`.
    case step

    /// Noun in messages: "no version is named 'v9'".
    var noun: String {
        switch self {
        case .version: "version"
        case .edge: "edge"
        case .build: "build"
        case .native: "native interface"
        case .key: "key"
        case .device: "device"
        case .mark: "mark"
        case .handset: "device of this scenario"
        case .file: "file of a version"
        case .page: "page"
        case .fault: "fault"
        case .step: "step"
        }
    }

    /// Help on how to declare a missing name; nil when its key at the top of the file is obvious.
    func declaration(of name: String) -> String? {
        switch self {
        case .version, .edge, .native, .handset: nil
        case .key: "a key is declared at the top: keys: { \"\(name)\": {} }"
        case .build: "a build is declared in app: { builds: { \"\(name)\": { … } } }"
        case .device:
            "a device is a file, Scenarios/profiles/\(name).json5; 'otalab init' writes some"
        case .mark: "a mark is set by a step before: { mark: \"\(name)\" }"
        case .file:
            name.contains(":/")
                ? "write the route alone, without the version: \"\(Self.route(of: name))\"" : nil
        case .page: "a launch, relaunch or page step gives the name: as: \"\(name)\""
        case .fault: "its fault step gives the name: as: \"\(name)\"; heal: true ends all faults"
        case .step: "any step gets a name by as: \"\(name)\""
        }
    }

    /// `/app.js` of `v1:/app.js`.
    private static func route(of name: String) -> String {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return name }
        return String(name[name.utf8.index(after: colon)...])
    }
}
