import Backend
import Core

/// The virtual time that calls take.
extension DiskCost {
    func span(of call: DiskCall) -> TimeSpan {
        switch call {
        case .sync: perCall + sync
        case .syncDirectory: perCall + syncDirectory
        case .open, .close, .read, .write, .truncate, .size, .status, .list, .makeDirectory, .rename,
            .remove, .removeDirectory, .lock, .freeSpace:
            perCall
        }
    }

    static func span(bytes: Int, rate: Int) -> TimeSpan {
        let (product, isTooMuch) = bytes.multipliedReportingOverflow(by: 1_000_000)
        return .microseconds(Int64(isTooMuch ? bytes / rate * 1_000_000 : product / rate))
    }
}
