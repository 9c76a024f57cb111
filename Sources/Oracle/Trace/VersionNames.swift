import Backend
import Updater

/// Maps the keys of versions to the names that the scenario gives them. Two versions may share an id, if
/// other files are published under an old id; their content digests distinguish them.
package struct VersionNames: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// Name in the scenario.
        package var name: String
        package var id: String
        /// Key, if the backend knows it.
        package var key: VersionKey?
    }

    /// Versions in the order of the setup. The index is the version's index in a ``VersionMask``.
    package private(set) var entries: [Entry]

    /// - Parameter key: Returns the key of the version at an index, if the backend knows it.
    package init(_ versions: [VersionSetup], key: (Int) -> VersionKey? = { _ in nil }) {
        entries = versions.enumerated().map { Entry(name: $1.name, id: $1.id, key: key($0)) }
    }

    /// Index in the setup; nil for a key that is no version of this scenario.
    package func index(of key: VersionKey) -> Int? {
        entries.firstIndex { $0.key == key } ?? entries.firstIndex { $0.id == key.id && $0.key == nil }
    }

    /// Name in the scenario, or the id of a version that the scenario does not know.
    package func name(of key: VersionKey) -> String { index(of: key).map { entries[$0].name } ?? key.id }

    package func name(of key: VersionKey?) -> String { key.map { name(of: $0) } ?? "none" }

    package func name(ofID id: String) -> String { entries.first { $0.id == id }?.name ?? id }

    package func names(of mask: VersionMask) -> [String] {
        mask.indices.compactMap { entries.indices.contains($0) ? entries[$0].name : nil }
    }
}
