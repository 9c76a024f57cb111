import Core

/// Prints a scenario. ``ScenarioReader`` reads the same scenario from the text, except for locations.
///
/// A case is printed as a separate scenario, with its values substituted and its name in the id. Comments
/// and the author's layout are not in the model and are lost.
package enum ScenarioPrinter {
    package static func text(of scenario: Scenario) -> String {
        text(of: tree(of: scenario))
    }

    /// The scenario as a tree, which a program can change before it is printed.
    package static func tree(of scenario: Scenario) -> PrintedValue {
        var scenario = scenario
        scenario.id = scenario.name
        return FieldTable.scenario.print(scenario)
    }

    /// The text of a tree; whether it is a valid scenario, the reader says.
    package static func text(of tree: PrintedValue) -> String {
        FormatLayout().text(TriviaDocument(root: tree.tree))
    }

    /// A step on one line, with the values of its case substituted.
    package static func line(of step: Step) -> String { FieldTable.step.print(step).line }

    /// A step that has this action and nothing else.
    package static func value(of action: Action) -> PrintedValue { FieldTable.verbs.pairs(action).object }

    /// The expectation of an `expect`, `always` or `never` step on one line.
    package static func line(of expectation: Expectation) -> String {
        FieldTable.expectation.print(expectation).line
    }

}

extension PrintedValue {
    /// The format of the library.
    static let texts = FormatText(quotes: .whereNeeded)

    /// The tree that the formatter would read from a file in the format of the library.
    var tree: TriviaNode {
        let texts = PrintedValue.texts
        switch self {
        case .null: return .scalar("null")
        case .flag(let flag): return .scalar(flag ? "true" : "false")
        case .number(let number): return .scalar(String(number))
        case .text(let text): return .scalar(texts.string(text))
        case .list(let values):
            return .container(isObject: false, items: values.map { TriviaItem(value: $0.tree) }, dangling: [])
        case .object(let pairs):
            let items = pairs.map { pair in
                TriviaItem(key: (texts.key(pair.key), pair.key), value: pair.value.tree)
            }
            return .container(isObject: true, items: items, dangling: [])
        }
    }

    /// The value on one line.
    package var line: String { FormatLayout().line(tree) }
}
