/// An adapter to begin with, as `otalab subject new` writes it: it runs as it comes, with a toy updater
/// inside.
package struct AdapterTemplate: Sendable {
    /// Name of the language.
    package let name: String
    /// Name of the file.
    package let file: String
    package let text: String

    package static let all = [python, node, swift]
}
