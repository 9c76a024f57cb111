import Backend
import Core
import ScenarioLanguage
import Updater

/// Generated files with their hashes, kept from one ``VersionLibrary`` to the next: the versions of many
/// setups have files of the same names and sizes.
///
/// Guarantees: a file that is taken from here is the one that would be generated. When ``most`` files or
/// ``mostBytes`` are kept, it begins anew. Deliberately not here: files of stated bytes, and those of a
/// library that keeps no more bytes in memory.
package struct GeneratedContents: Sendable {
    struct Key: Comparable, Sendable {
        let content: ContentKey
        let kind: ContentGenerator.Kind
        let head: String
        let dialect: ManifestDialect

        static func < (left: Key, right: Key) -> Bool {
            if left.content != right.content { return left.content < right.content }
            if left.head != right.head { return left.head < right.head }
            return (left.kind.rawValue, left.dialect.rawValue) < (right.kind.rawValue, right.dialect.rawValue)
        }
    }

    private static let most = 4096
    private static let mostBytes = 64 << 20

    private var contents = LookupTable<Key, HashedContent>()
    private var bytes = 0

    package init() {}

    subscript(key: Key) -> HashedContent? { contents[key] }

    mutating func keep(_ content: HashedContent, as key: Key) {
        let size = content.content.isGenerated ? 0 : content.content.count
        if contents.count >= GeneratedContents.most || bytes + size > GeneratedContents.mostBytes {
            self = GeneratedContents()
        }
        contents[key] = content
        bytes += size
    }
}
