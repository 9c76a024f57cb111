/// The kind of an object of the language; each kind has its fields.
package indirect enum ObjectSchema: Hashable, Sendable {
    case scenario, limits, app, build, key, settings, origin, version, file, startup, behaviour
    case step, gap, condition, fault, answer, disk, damage, crash, request, client, native
    case profile, deviceChanges, audience, variant
    /// A file for `use`.
    case used
    case expectation, startCounts, blame, times, fetched, requests, answers, forwarded, messages, progress
    /// `{ atLeast, atMost, between, exact }` of numbers of a type.
    case bounds(FieldType)
    /// `{ has, hasNot }` of elements of a type.
    case listing(FieldType)
    /// `{ is, because }`: a value of a type and its evidence.
    case fact(FieldType)

    /// Name in messages: "unknown key 'x' in …".
    package var title: String {
        switch self {
        case .scenario: "scenario"
        case .used: "used file"
        case .limits: "limits"
        case .app: "app"
        case .build: "build"
        case .key: "key"
        case .settings: "settings"
        case .origin: "origin"
        case .version: "version"
        case .file: "file"
        case .startup, .behaviour: "startup"
        case .step: "step"
        case .gap: "gap"
        case .condition: "trigger"
        case .fault: "fault"
        case .answer: "answer"
        case .disk: "disk"
        case .damage: "damage"
        case .crash: "crash"
        case .request: "request"
        case .client: "client"
        case .native: "native message"
        case .expectation: "expectation"
        case .startCounts: "starts"
        case .blame: "blame"
        case .times: "times"
        case .fetched: "fetched"
        case .requests: "requests"
        case .answers: "answers"
        case .forwarded: "forwarded"
        case .messages: "messages"
        case .progress: "progress"
        case .bounds: "count"
        case .listing: "list"
        case .profile: "device profile"
        case .deviceChanges: "device"
        case .audience: "audience"
        case .variant: "case"
        case .fact: "line of a profile"
        }
    }

    /// Name with its article: "a step", "an app".
    var titleWithArticle: String {
        let vowels = "aeiou"
        return (title.first.map { vowels.contains($0) } ?? false ? "an " : "a ") + title
    }

    package var fields: [Field] { fieldIndex.fields }

    /// Prefix and types of keys of the author's choice, in addition to the fields; nil when there are none.
    package var freeKeys: (prefix: String, key: FieldType, value: FieldType)? {
        switch self {
        case .requests: ("/", .name(.file), .bounds(.count))
        case .variant: ("", .text, .anything)
        default: nil
        }
    }

    /// Whether an object must have a head; otherwise it has at most one.
    package var needsHead: Bool {
        switch self {
        case .step, .condition, .fault, .damage: true
        default: false
        }
    }
}
