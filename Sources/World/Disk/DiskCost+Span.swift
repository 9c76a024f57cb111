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

    /// Time of syncs that the device does in one batch: the longest alone, and of each further one a share.
    func span(ofBatch calls: [DiskCall]) -> TimeSpan {
        let spans = calls.map { span(of: $0) }
        guard let longest = spans.max() else { return .zero }
        let all = spans.reduce(TimeSpan.zero, +)
        return longest + (all - longest) * Int64(batchShare) / 100
    }

    static func span(bytes: Int, rate: Int) -> TimeSpan {
        let (product, isTooMuch) = bytes.multipliedReportingOverflow(by: 1_000_000)
        return .microseconds(Int64(isTooMuch ? bytes / rate * 1_000_000 : product / rate))
    }
}
