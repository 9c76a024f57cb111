import Backend
import Updater

/// Which version of the scenario a version key is. Two versions may share an id (another set of files
/// published under an old name); then the content digest tells them apart, as it was first met.
package struct VersionNames: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package var name: String
        package var id: String
        package var key: VersionKey?
    }

    /// In the order of the setup: the place of a version in a ``VersionMask``.
    package private(set) var entries: [Entry]

    /// - Parameter key: the key of a version by its place, where the surroundings know it.
    package init(_ versions: [VersionSetup], key: (Int) -> VersionKey? = { _ in nil }) {
        entries = versions.enumerated().map { Entry(name: $1.name, id: $1.id, key: key($0)) }
    }

    /// The place in the setup; nil: no version of this scenario.
    package func place(of key: VersionKey) -> Int? {
        entries.firstIndex { $0.key == key } ?? entries.firstIndex { $0.id == key.id && $0.key == nil }
    }

    /// What a person calls it.
    package func name(of key: VersionKey) -> String { place(of: key).map { entries[$0].name } ?? key.id }

    package func name(of key: VersionKey?) -> String { key.map { name(of: $0) } ?? "none" }

    package func name(ofID id: String) -> String { entries.first { $0.id == id }?.name ?? id }

    package func names(of mask: VersionMask) -> [String] {
        mask.indices.compactMap { entries.indices.contains($0) ? entries[$0].name : nil }
    }
}
