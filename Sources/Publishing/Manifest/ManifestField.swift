/// A field of the own dialect's manifest (`otalab-manifest-1`). The page on the manifest and its JSON Schema
/// are made from one table of these (``ManifestField/release``).
package struct ManifestField: Sendable {
    package indirect enum Shape: Sendable {
        /// Text of 1 to `longest` characters, if it is limited, that the pattern fits (ECMA 262).
        case text(pattern: String? = nil, longest: Int? = nil)
        case whole(ClosedRange<Int64>)
        case flag
        case oneOf([String])
        case object([ManifestField])
        case list(Shape, atLeast: Int = 0, atMost: Int? = nil)
    }

    package let name: String
    package let shape: Shape
    package let isRequired: Bool
    /// What it means, and its bounds; Markdown.
    package let meaning: String
    /// What is refused about it, with the cause; Markdown, empty: nothing of its own.
    package let refusals: String

    init(
        _ name: String, _ shape: Shape, isRequired: Bool = false, _ meaning: String, refused: String = ""
    ) {
        self.name = name
        self.shape = shape
        self.isRequired = isRequired
        self.meaning = meaning
        refusals = refused
    }
}
