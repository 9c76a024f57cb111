/// What a value may be. Drives checking, and can be printed as a schema or a reference.
package indirect enum FieldType: Hashable, Sendable {
    /// Any text but the empty one.
    case text
    case flag
    /// `true` and nothing else: verbs that need no more.
    case yes
    case null
    case whole(ClosedRange<Int64>)
    case duration, size, percent, amount, route
    /// Whatever stands there: a value of the cases, read where it is used.
    case anything
    /// Bits and bytes a second.
    case bitRate, byteRate
    /// One of these, written so.
    case keyword([String])
    /// A name that is declared elsewhere in the file.
    case name(NameKind)
    /// A word and what follows it: `"after 9s"`.
    case prefixed(String, FieldType)
    case userAction, fileReference, damageTarget, crashOutcome
    /// A list, not empty where `least` is 1.
    case list(FieldType, least: Int)
    /// A list that must match exactly, or `{ has, hasNot }`.
    case listing(FieldType)
    /// A number of that type, or `{ atLeast, atMost, between, exact }`.
    case bounds(FieldType)
    case object(ObjectSchema)
    /// An object with keys of the author's choice.
    case map(key: FieldType, FieldType)
    case either([FieldType])

    /// A closed list from an enum's raw values.
    package static func keywords<ObjectCodec: CaseIterable & RawRepresentable>(of type: ObjectCodec.Type)
        -> FieldType
    where ObjectCodec.RawValue == String {
        .keyword(type.allCases.map(\.rawValue))
    }

    package static func nullable(_ type: FieldType) -> FieldType { .either([.null, type]) }

    /// One, or a list of them.
    package static func oneOrMore(_ type: FieldType) -> FieldType { .either([type, .list(type, least: 1)]) }

    /// Any count that makes sense in a story.
    package static let count = FieldType.whole(0...1_000_000_000)
}

/// Things that get a name in a scenario file.
package enum NameKind: String, CaseIterable, Hashable, Sendable {
    case version, edge, build, native, device, mark
    /// One of a scenario's several devices.
    case handset
    /// A route that some version has.
    case file
    /// Given with `as` to a launch, relaunch or page step.
    case page
    case fault
    /// Given with `as` to any step.
    case step

    /// "no version is named 'v9'".
    var noun: String {
        switch self {
        case .version: "version"
        case .edge: "edge"
        case .build: "build"
        case .native: "native interface"
        case .device: "device"
        case .mark: "mark"
        case .handset: "device of this scenario"
        case .file: "file of a version"
        case .page: "page"
        case .fault: "fault"
        case .step: "step"
        }
    }

    /// How a thing gets the name that is missing; nil where its key at the top of the file says it.
    func declaration(of name: String) -> String? {
        switch self {
        case .version, .edge, .native, .handset: nil
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
