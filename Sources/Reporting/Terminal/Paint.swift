/// Colours for a terminal. They are never the only sign: every verdict is also a word.
package struct Paint: Sendable {
    /// Value of `--color`.
    package enum Mode: String, Sendable, CaseIterable { case auto, always, never }

    package let isOn: Bool

    /// Decides by the flag; then `NO_COLOR` (not empty) turns colours off, `FORCE_COLOR` or `CLICOLOR_FORCE`
    /// on, and `TERM=dumb` off; else they are on when the stream is a terminal.
    package init(_ mode: Mode, isTerminal: Bool, environment: (String) -> String?) {
        func has(_ name: String) -> Bool { environment(name).map { !$0.isEmpty } ?? false }
        switch mode {
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
