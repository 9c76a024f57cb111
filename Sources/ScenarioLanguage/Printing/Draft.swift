/// A scenario file that is being made: values of the language and the comments that belong to them.
///
/// Guarantees: the text is laid out as the formatter lays it out, so that formatting it changes
/// nothing. Deliberately not here: whether the language takes it; who makes a file reads it again.
package struct ScenarioDraft: Hashable, Sendable {
    /// Lines above it.
    package var above: [String]
    /// nil in a list.
    package var key: String?
    package var content: Content
    /// In its own line.
    package var behind: String?

    package indirect enum Content: Hashable, Sendable {
        case value(PrintedValue)
        case object([ScenarioDraft])
        /// `rest`: comments behind the last element.
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

    /// In a list.
    package init(_ value: PrintedValue, above: [String] = [], behind: String? = nil) {
        self.init(nil, .value(value), above: above, behind: behind)
    }

    /// - Parameter head: lines above all.
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
