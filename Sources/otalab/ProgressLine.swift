import Foundation

/// A progress line that is redrawn in place on standard error.
///
/// Guarantees: leaves nothing on the terminal; draws nothing if standard error is no terminal. Deliberately
/// not here: other output to the terminal; the code that prints it calls ``erase()`` first.
struct ProgressLine {
    private let isShown: Bool
    private var isDrawn = false
    private var lastDrawn = Date.distantPast

    init(isShown: Bool) { self.isShown = isShown }

    /// Draws at most twenty times a second, and cuts off what does not fit.
    mutating func draw(_ text: @autoclosure () -> String) {
        let now = Date()
        guard isShown, now.timeIntervalSince(lastDrawn) > 0.05 else { return }
        lastDrawn = now
        Output.error("\r\u{1b}[K" + String(text().prefix(ProgressLine.width - 1)))
        isDrawn = true
    }

    /// The terminal's width, also where it is too narrow for reports: a line that wraps can't be erased.
    private static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 10 else { return 80 }
        return Int(size.ws_col)
    }

    mutating func erase() {
        if isDrawn { Output.error("\r\u{1b}[K") }
        isDrawn = false
    }
}

extension Arguments {
    /// Whether the progress line is drawn: on a terminal that can return to the start of a line, without
    /// `--no-progress`.
    var showsProgress: Bool {
        !has("--no-progress") && Output.isTerminal(STDERR_FILENO) && Output.variable("TERM") != "dumb"
    }
}

extension Option {
    static let noProgress = Option(
        "--no-progress", "no progress line on a terminal")
}
