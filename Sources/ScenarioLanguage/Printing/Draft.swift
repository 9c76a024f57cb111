/// A generated scenario file, or a part of it: a value of the language with its comments.
///
/// Guarantees: the text has the layout of the formatter, so that formatting does not change it. Deliberately
/// not here: validation; the caller reads the text again.
package struct ScenarioDraft: Hashable, Sendable {
    /// Comment lines above the value.
    package var above: [String]
    /// Key of the value; nil in a list.
    package var key: String?
    package var content: Content
    /// Comment behind the value, on its line.
    package var behind: String?

    package indirect enum Content: Hashable, Sendable {
        case value(PrintedValue)
        case object([ScenarioDraft])
        /// A list. `rest`: comments after the last element.
        case list([ScenarioDraft], rest: [String])
    }

    package init(_ key: String, _ value: PrintedValue, above: [String] = []) {
        self.init(key, .value(value), above: above)
    }

    package init(_ key: String?, _ content: Content, above: [String] = [], behind: String? = nil) {
        self.above = above
        self.key = key
        self.content = content
        self.behind = behind
    }

    /// An element of a list.
    package init(_ value: PrintedValue, above: [String] = [], behind: String? = nil) {
        self.init(nil, .value(value), above: above, behind: behind)
    }

    /// The text of a file.
    /// - Parameter head: comment lines at the beginning.
    package static func text(_ root: [ScenarioDraft], head: [String] = []) -> String {
        let items = root.map(\.item)
        return FormatLayout().text(
            TriviaDocument(
                before: head.map { ScenarioDraft.comment($0) },
                root: .container(isObject: true, items: items, dangling: [])))
    }

    private var item: TriviaItem {
        TriviaItem(
            leading: above.map { ScenarioDraft.comment($0) },
            key: key.map { (PrintedValue.texts.key($0), $0) },
            value: node, trailing: behind.map { [ScenarioDraft.comment($0)] } ?? [])
    }

    private var node: TriviaNode {
        switch content {
        case .value(let value): value.tree
        case .object(let drafts):
            .container(isObject: true, items: drafts.map(\.item), dangling: [])
        case .list(let drafts, let rest):
            .container(
                isObject: false, items: drafts.map(\.item), dangling: rest.map { ScenarioDraft.comment($0) })
        }
    }

    private static func comment(_ line: String) -> TriviaComment {
        TriviaComment(text: line.isEmpty ? "//" : "// " + line, endsLine: true, blankBefore: false)
    }
}
