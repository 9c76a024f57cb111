import Core

/// An object of a manifest, whose fields exist and have their type, or are refused by name.
struct ManifestNode: Sendable {
    let node: JSONValue
    /// Name of the list or object that contains it; empty for the root.
    private let container: String
    /// Index in the container, if that is a list.
    private let index: Int?

    init(_ node: JSONValue, in container: String = "", index: Int? = nil) throws(ManifestRefusal) {
        self.node = node
        self.container = container
        self.index = index
        guard node.isObject else {
            throw ManifestRefusal(
                .manifestFieldMalformed, "\(location.isEmpty ? "manifest" : location) is not an object")
        }
    }

    /// Position for a refusal, such as `files[3]`; computed only when needed.
    private var location: String { index.map { "\(container)[\($0)]" } ?? container }

    func has(_ key: StaticString) -> Bool { value(key) != nil }

    /// Nil if the field is missing or `null`.
    private func value(_ key: StaticString) -> JSONValue? {
        guard let value = node[key], !value.isNull else { return nil }
        return value
    }

    func path(_ key: some CustomStringConvertible) -> String {
        location.isEmpty ? key.description : location + "." + key.description
    }

    func string(_ key: StaticString) throws(ManifestRefusal) -> String {
        guard let text = try optionalString(key) else { throw missing(key) }
        return text
    }

    func optionalString(_ key: StaticString) throws(ManifestRefusal) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw malformed(key, "a string") }
        return text
    }

    /// 64 hexadecimal digits.
    func digest(_ key: StaticString) throws(ManifestRefusal) -> Digest256 {
        guard let value = value(key) else { throw missing(key) }
        guard let digest = value.digest else {
            throw malformed(key, value.string == nil ? "a string" : "64 hex digits")
        }
        return digest
    }

    func flag(_ key: StaticString) throws(ManifestRefusal) -> Bool {
        guard let value = value(key) else { return false }
        guard let flag = value.bool else { throw malformed(key, "true or false") }
        return flag
    }

    /// A whole number ≥ 0.
    func optionalCount(_ key: StaticString) throws(ManifestRefusal) -> UntrustedInteger? {
        guard let value = value(key) else { return nil }
        guard let number = value.integer, number >= .zero else {
            throw malformed(key, "a whole number ≥ 0")
        }
        return number
    }

    /// A size in bytes, at most ``largestSize``; ``ManifestReader`` checks it against the app's limits.
    func optionalSize(_ key: StaticString) throws(ManifestRefusal) -> Int? {
        guard let number = try optionalCount(key) else { return nil }
        guard let size = number.bounded(by: 0...ManifestNode.largestSize) else {
            throw ManifestRefusal(
                .fileTooLarge, "field=\(path(key)) bytes=\(number) limit=\(ManifestNode.largestSize)")
        }
        return size
    }

    /// A whole number ≥ 0, at most ``largestSize``.
    func wholeNumber(_ key: StaticString) throws(ManifestRefusal) -> Int {
        guard let number = try optionalCount(key) else { throw missing(key) }
        guard let value = number.bounded(by: 0...ManifestNode.largestSize) else {
            throw malformed(key, "a whole number up to \(ManifestNode.largestSize)")
        }
        return value
    }

    /// Largest number that every reader of JSON reads exactly (RFC 8259 §6).
    static let largestSize = Int(clamping: (1 as Int64) << 53 - 1)

    func files(_ key: StaticString) throws(ManifestRefusal) -> ManifestFiles {
        guard let value = value(key) else { throw missing(key) }
        guard let entries = value.elements else { throw malformed(key, "a list") }
        return ManifestFiles(entries, path: path(key))
    }

    func optionalObject(_ key: StaticString) throws(ManifestRefusal) -> ManifestNode? {
        guard let value = value(key) else { return nil }
        return try ManifestNode(value, in: path(key))
    }

    /// Ids of versions. Number and length are limited, because the record stores them.
    func versionIDs(_ key: StaticString) throws(ManifestRefusal) -> [String] {
        let ids = try strings(key)
        guard ids.count <= ManifestNode.maxIDs, ids.allSatisfy(ManifestNode.isVersionID) else {
            throw malformed(key, "at most \(ManifestNode.maxIDs) ids of versions")
        }
        return ids
    }

    static let maxIDs = 256

    func optionalRoute(_ key: StaticString) throws(ManifestRefusal) -> String? {
        guard let text = try optionalString(key) else { return nil }
        return try route(text, key).text
    }

    /// Type and subtype, possibly with parameters (RFC 9110 §8.3.1); checked, because it becomes a header
    /// field of a response.
    func mediaType(_ key: StaticString) throws(ManifestRefusal) -> String? {
        guard let text = try optionalString(key) else { return nil }
        guard text.utf8.count <= 128, text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }),
            text.utf8.split(separator: UInt8(ascii: "/")).count == 2
        else { throw malformed(key, "a media type") }
        return text
    }

    private func strings(_ key: StaticString) throws(ManifestRefusal) -> [String] {
        guard let value = value(key) else { return [] }
        guard let items = value.elements else { throw malformed(key, "a list of strings") }
        var result: [String] = []
        for item in items {
            guard let text = item.string else { throw malformed(key, "a list of strings") }
            result.append(text)
        }
        return result
    }

    /// An opaque version id: 1 to 128 visible ASCII characters.
    func versionID(_ key: StaticString) throws(ManifestRefusal) -> String {
        guard let id = try optionalString(key), !id.isEmpty else {
            throw ManifestRefusal(.manifestWithoutVersion, "field=\(path(key))")
        }
        guard ManifestNode.isVersionID(id) else {
            throw malformed(key, "1 to 128 visible ASCII characters")
        }
        return id
    }

    private static func isVersionID(_ id: String) -> Bool {
        (1...128).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    func route(_ text: String, _ key: some CustomStringConvertible) throws(ManifestRefusal) -> Route {
        do {
            return try Route(text)
        } catch {
            throw ManifestRefusal(
                .manifestUnsafeRoute, "field=\(path(key)) route=\(text.prefix(200)): \(error)")
        }
    }

    func missing(_ key: some CustomStringConvertible) -> ManifestRefusal {
        ManifestRefusal(.manifestFieldMissing, "field=\(path(key))")
    }

    func malformed(_ key: some CustomStringConvertible, _ wanted: String) -> ManifestRefusal {
        ManifestRefusal(.manifestFieldMalformed, "field=\(path(key)) wanted: \(wanted)")
    }
}
