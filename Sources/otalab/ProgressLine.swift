import Foundation

/// How far something is, as one line that is drawn again and again on standard error.
///
/// VerificationSummary: leaves nothing behind; where standard error is no terminal nothing is drawn.
/// Deliberately not here: what else goes to the terminal; who prints there calls ``erase()`` before.
struct ProgressLine {
    private let isShown: Bool
    private var isDrawn = false
    private var lastDrawn = Date.distantPast

    init(isShown: Bool) { self.isShown = isShown }

    /// At most twenty times a second; what does not fit is cut off.
    mutating func draw(_ text: @autoclosure () -> String) {
        let now = Date()
        guard isShown, now.timeIntervalSince(lastDrawn) > 0.05 else { return }
        lastDrawn = now
        Output.error("\r\u{1b}[K" + String(text().prefix(ProgressLine.width - 1)))
        isDrawn = true
    }

    /// Of a terminal that is too narrow for reports too: a line that wraps can't be taken back.
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
    /// On a terminal that can go back in a line, unless `--no-progress` says otherwise.
    var showsProgress: Bool {
        !has("--no-progress") && Output.isTerminal(STDERR_FILENO) && Output.variable("TERM") != "dumb"
    }
}

extension Option {
    static let noProgress = Option(
        "--no-progress", "no line that shows how far the run is, on a terminal")
}
