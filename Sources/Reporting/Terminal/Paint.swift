/// Colour for a terminal. Never the only sign of anything: every verdict is also a word.
package struct Paint: Sendable {
    package enum Wish: String, Sendable, CaseIterable { case auto, always, never }

    package let isOn: Bool

    /// The flag, then `NO_COLOR` (not empty) off, then `FORCE_COLOR` or `CLICOLOR_FORCE` on, then `TERM=dumb`
    /// off, then whether the stream is a terminal.
    package init(_ wish: Wish, isTerminal: Bool, environment: (String) -> String?) {
        func has(_ name: String) -> Bool { environment(name).map { !$0.isEmpty } ?? false }
        switch wish {
        case .always: isOn = true
        case .never: isOn = false
        case .auto:
            if has("NO_COLOR") {
                isOn = false
            } else if has("FORCE_COLOR") || has("CLICOLOR_FORCE") {
                isOn = true
            } else {
                isOn = environment("TERM") != "dumb" && isTerminal
            }
        }
    }

    package init(isOn: Bool) { self.isOn = isOn }

    func green(_ text: String) -> String { wrap(text, "32") }
    func red(_ text: String) -> String { wrap(text, "1;31") }
    func yellow(_ text: String) -> String { wrap(text, "33") }
    func dim(_ text: String) -> String { wrap(text, "2") }
    func bold(_ text: String) -> String { wrap(text, "1") }

    private func wrap(_ text: String, _ code: String) -> String {
        isOn ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
