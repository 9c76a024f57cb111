import Core

/// A failure of calls: the n-th of a kind from now on, alone or with later ones.
package struct DiskFault: Hashable, Sendable {
    package var call: DiskCall
    /// Which call fails: 1 is the next one that the fault is aimed at.
    package var nth: Int
    package var code: DiskError.Code
    /// Number of calls that fail from then on; nil: all.
    package var times: Int?
    /// Paths at and beneath which calls fail; empty: everywhere. A handle has the path it was opened under.
    var paths: [DiskPath]
    /// Name of the scenario's fault that caused it.
    var name: String?
    /// Key that selects the file's pending operations that reach the medium although a sync or close fails;
    /// nil: none do. The others are dropped, and no later sync brings them back (fsync(2), "fsyncgate").
    package var survivorsKey: UInt64?

    package init(
        _ call: DiskCall, nth: Int = 1, _ code: DiskError.Code, times: Int? = 1,
        path: DiskPath? = nil, survivorsKey: UInt64? = nil
    ) {
        self.call = call
        self.nth = nth
        self.code = code
        self.times = times
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

/// All current faults and damage of a disk.
struct DiskFaults: Equatable, Sendable {
    var calls: [DiskFault] = []
    var slowed: [SlowCall] = []
    var damages: [StoredDamage] = []
    /// Ordinal of the last call that is carried out, counted since the disk was created.
    var lastOperation: Int?
    /// The most bytes that the last call, if it is a write, accepts.
    var lastWrite: Int?
    var isStopped = false
    /// The most bytes that a write accepts at once.
    var mostPerWrite: Int?
    var isDenied = false
    var isReadOnly = false
    /// Whether syncs succeed and do nothing.
    var ignoresSyncs = false
    /// Syncs of one kind, at and beneath a path, that succeed and do nothing.
    var leftOut: [DiskFault] = []
    var leavesGarbage = false

    /// Counts a call. Returns the fault that makes it fail, if one does.
    mutating func apply(to call: DiskCall, _ path: DiskPath?) -> DiskFault? {
        var applying: DiskFault?
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
            if applying == nil { applying = calls[index] }
            if let times = calls[index].times { calls[index].times = times - 1 }
            if calls[index].times == 0 { calls.remove(at: index) } else { index += 1 }
        }
        return applying
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
