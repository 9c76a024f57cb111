import Core
import ScenarioLanguage

extension DigestedEvent {
    /// A part of an entry that is not divided further.
    package struct Field: Hashable, Sendable {
        /// Path from the entry: `fetch.url`; empty for what the entry is.
        package var path: String
        package var value: String

        package init(path: String, value: String) {
            self.path = path
            self.value = value
        }
    }

    /// What the entry is (`the app asks for setTimer`), then all parts of its content, in the order of their
    /// declarations. Entries of equal content have equal fields.
    package var fields: [Field] {
        var list = FieldList()
        switch what {
        case .event(let record):
            let code = EventCode(rawValue: record.code).map { "\($0)" } ?? "\(record.code)"
            list.fields = [
                Field(path: "", value: "event \(code)"),
                Field(path: "process", value: "\(record.process)"),
                Field(path: "detail", value: "\(record.detail)"),
            ]
        case .input(let input): list.add(entry: input, "the app gets")
        case .effect(let effect): list.add(entry: effect, "the app asks for")
        case .traceEvent(let kind): list.add(entry: kind, "fact")
        }
        return list.fields
    }
}

/// The parts of a value, by the names that its type declares.
private struct FieldList {
    var fields: [DigestedEvent.Field] = []

    /// Adds an enum's case and the values that come with it.
    mutating func add(entry: Any, _ what: String) {
        let children = Mirror(reflecting: entry).children
        let name = children.first?.label ?? "\(entry)"
        fields.append(DigestedEvent.Field(path: "", value: "\(what) \(name)"))
        if let content = children.first?.value { addParts(of: content, below: name) }
    }

    private mutating func addParts(of value: Any, below path: String) {
        if let text = FieldList.leaf(value) {
            fields.append(DigestedEvent.Field(path: path, value: text))
            return
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            guard let some = mirror.children.first else {
                fields.append(DigestedEvent.Field(path: path, value: "none"))
                return
            }
            addParts(of: some.value, below: path)
        case .enum:
            guard let content = mirror.children.first else {
                fields.append(DigestedEvent.Field(path: path, value: "\(value)"))
                return
            }
            let name = content.label ?? ""
            fields.append(DigestedEvent.Field(path: path, value: name))
            addParts(of: content.value, below: "\(path).\(name)")
        case .collection: addElements(mirror, below: path)
        case .set, .dictionary:
            // Their order is another one in each process.
            let texts = mirror.children.map { "\($0.value)" }.sorted()
            fields.append(DigestedEvent.Field(path: path, value: texts.joined(separator: ", ")))
        default: addMembers(mirror, of: value, below: path)
        }
    }

    private mutating func addElements(_ mirror: Mirror, below path: String) {
        if mirror.children.isEmpty { fields.append(DigestedEvent.Field(path: path, value: "empty")) }
        for (index, child) in mirror.children.enumerated() {
            addParts(of: child.value, below: "\(path)[\(index)]")
        }
    }

    private mutating func addMembers(_ mirror: Mirror, of value: Any, below path: String) {
        guard let first = mirror.children.first else {
            fields.append(DigestedEvent.Field(path: path, value: "\(value)"))
            return
        }
        // The only member of a struct is the struct: `transfer` says as much as `transfer.rawValue`.
        if mirror.children.count == 1, mirror.displayStyle == .struct {
            addParts(of: first.value, below: path)
            return
        }
        for child in mirror.children {
            let label = child.label ?? ""
            // A value of an enum's case that has no label: `.0`.
            let name = label.hasPrefix(".") ? label : ".\(label)"
            addParts(of: child.value, below: path + name)
        }
    }

    private static func leaf(_ value: Any) -> String? {
        switch value {
        // Any empty list can be cast to one of bytes.
        case let bytes as [UInt8] where type(of: value) == [UInt8].self:
            bytes.isEmpty ? "no bytes" : TraceText.of(bytes)
        case let span as TimeSpan: span.shown
        case let instant as Instant: (instant - .zero).shown
        case let text as String: text.isEmpty ? "empty" : text
        case let digest as Digest256: digest.hex
        case let token as PageLoadToken: token.text
        default: nil
        }
    }
}
