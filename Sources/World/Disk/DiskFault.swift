import Core

/// A call that fails: the n-th of its kind from now on, once or from then on always.
package struct DiskFault: Hashable, Sendable {
    package var call: DiskCall
    /// 1 is the next call of the kind that the fault is aimed at.
    package var nth: Int
    package var code: DiskError.Code
    /// All later ones fail too.
    package var isSticky: Bool
    /// Of a sticky one: how many calls fail; nil: all.
    var times: Int?
    /// Only calls on one of these paths or beneath it, empty: everywhere; of a handle the path it was opened
    /// under counts.
    var paths: [DiskPath]
    /// The name of the scenario's fault that it comes from.
    var name: String?
    /// Of a failed sync or close: which of the file's pending operations reach the medium all the same.
    /// The others are dropped and no later sync brings them back (fsync(2), "fsyncgate"). Without a key
    /// none does.
    package var survivorsKey: UInt64?

    package init(
        _ call: DiskCall, nth: Int = 1, _ code: DiskError.Code, isSticky: Bool = false,
        path: DiskPath? = nil, survivorsKey: UInt64? = nil
    ) {
        self.call = call
        self.nth = nth
        self.code = code
        self.isSticky = isSticky
        paths = path.map { [$0] } ?? []
        self.survivorsKey = survivorsKey
    }

    func isAimed(at call: DiskCall, _ path: DiskPath?) -> Bool {
        guard self.call == call else { return false }
        if paths.isEmpty { return true }
        guard let path else { return false }
        return paths.contains { aim in
            path.volume == aim.volume
                && (path.text == aim.text || aim.text.isEmpty || path.text.hasPrefix(aim.text + "/"))
        }
    }
}

/// Everything that is wrong with a disk at the moment.
struct DiskFaults: Equatable, Sendable {
    var calls: [DiskFault] = []
    var slowed: [SlowCall] = []
    var damages: [StoredDamage] = []
    /// The operation, by its number since the disk was made, that is the last one to happen.
    var lastOperation: Int?
    /// Of a last operation that is a write: at most so many bytes happen.
    var lastWrite: Int?
    var isStopped = false
    /// The most bytes a write accepts at once.
    var mostPerWrite: Int?
    var isDenied = false
    var isReadOnly = false
    /// A sync says that it is done and does nothing.
    var ignoresSyncs = false
    /// Syncs of this kind at and beneath a path answer and do nothing.
    var leftOut: [DiskFault] = []
    var leavesGarbage = false

    /// Counts a call; the fault that strikes it, if one does.
    mutating func strike(_ call: DiskCall, _ path: DiskPath?) -> DiskFault? {
        var striking: DiskFault?
        var index = 0
        while index < calls.count {
            guard calls[index].isAimed(at: call, path) else {
                index += 1
                continue
            }
            calls[index].nth -= 1
            guard calls[index].nth <= 0 else {
                index += 1
                continue
            }
            if striking == nil { striking = calls[index] }
            if let times = calls[index].times { calls[index].times = times - 1 }
            if calls[index].isSticky, calls[index].times != 0 {
                index += 1
            } else {
                calls.remove(at: index)
            }
        }
        return striking
    }

    func delay(of call: DiskCall) -> TimeSpan {
        slowed.first { $0.call == call }?.span ?? .zero
    }
}

/// Calls of a kind that take longer.
struct SlowCall: Equatable, Sendable {
    let call: DiskCall
    let span: TimeSpan
}
