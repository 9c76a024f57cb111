import Core
import Updater

/// How far a download is, as the loading screen or a report to a page shows it (U7).
package struct ProgressAmount: Hashable, Sendable {
    var filesDone: Int64
    var files: Int64
    var bytesDone: Int64
    /// Nil: the size of some file is not known.
    var bytes: Int64?

    init(_ shown: DownloadProgress) {
        filesDone = Int64(shown.filesDone)
        files = Int64(shown.files)
        bytesDone = Int64(shown.bytesDone)
        bytes = shown.bytes.map { Int64($0) }
    }

    /// Nil if a number is missing that each progress has, or is none.
    init?(_ params: JSONValue) {
        func number(_ name: StaticString) -> Int64? { params[name]?.integer?.bounded(by: 0...Int64.max) }
        guard let filesDone = number("filesDone"), let files = number("files"),
            let bytesDone = number("bytesDone")
        else { return nil }
        (self.filesDone, self.files, self.bytesDone, bytes) = (filesDone, files, bytesDone, number("bytes"))
    }

    /// `1 of 3 files, 40000 of 82000 B`
    var text: String {
        "\(filesDone) of \(files) files, \(bytesDone) of \(bytes.map { "\($0)" } ?? "?") B"
    }

    /// Whether it is more than there is.
    var isTooMuch: Bool { filesDone > files || bytes.map { bytesDone > $0 } ?? false }

    /// Whether it is a smaller share: in bytes where both know all of them, else in files.
    func isLess(than other: ProgressAmount) -> Bool {
        if let bytes, let all = other.bytes, bytes > 0, all > 0 {
            return bytesDone.multipliedFullWidth(by: all) < other.bytesDone.multipliedFullWidth(by: bytes)
        }
        return filesDone * max(other.files, 1) < other.filesDone * max(files, 1)
    }
}
