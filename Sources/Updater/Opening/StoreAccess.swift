import Core

/// How this process may use the store: whether it is open and can be written, and whether files in it may be
/// removed.
///
/// **Invariants**
/// - Files are removed only while ``mayDelete`` holds. What could not be read may name any file: the slot of
///   a record, the table of a version, the app package, or a record of a newer format forbids all removals.
/// - A store that can't be written is not written until it is opened anew (R2).
/// - While a slot of the record is not known to be durable, nothing that an earlier record may name is
///   removed, and the next one is written beside both slots (``RecordSlots``).
/// - At most one opening or verification waits for the disk (``DiskRetry``).
/// - A process logs its launch, the first error of its opening, and whatever else an opening finds once each,
///   however often it opens the store: the record is read anew each time, and each time gets the entries.
struct StoreAccess: Sendable {
    enum Phase: Hashable, Sendable {
        case waiting
        case opening
        case running
        /// The store can't be written, or another process uses it: what can be read is served (R2), nothing
        /// is written, no update is accepted.
        case readOnlyStore
    }

    private(set) var phase = Phase.waiting
    /// Whether the store has been read and the version to start chosen; the store may be one that can't be
    /// written.
    private(set) var isOpen = false
    /// Whether something could not be read that may name any file.
    private var isDeletionForbidden = false
    /// Whether a record of a newer format was found: files are kept until a confirmed start (N2).
    private(set) var isNewerFormatKept = false
    /// Whether the device had no room to open the store, which therefore can't be written.
    private(set) var hasNoRoom = false
    /// Slots of the record that may not be on the medium as processes read them, because a sync of the record
    /// failed, in this process or an earlier one. The system forgets what such a sync should have written,
    /// and a later one succeeds without it. `store/starts` tells the next process.
    private var unsyncedSlots = 0
    /// Whether a slot of the record may not be on the medium as processes read it.
    var isRecordUnsynced: Bool { unsyncedSlots > 0 }
    /// Whether the disk refused the last commit of the record.
    var isRecordRefused = false
    /// Whether the app package can't be read in this process: what it contains is unknown, and unchanged.
    private(set) var isPackageUnread = false
    /// Whether this process has the lock, which it keeps until it ends.
    var hasLock = false
    /// The opening or verification that is tried again.
    var retry = DiskRetry()
    /// Whether this launch is in the log.
    var hasLoggedLaunch = false
    /// Whether the first error of the opening is in the log.
    var hasLoggedOpening = false

    /// Whether a stage of the opening is being performed.
    var isInOpening = false
    /// What the openings of this process have reported, each once.
    private(set) var entriesOfOpenings: [LogEntry] = []

    /// Whether an earlier opening of this process has reported the same, at another time.
    mutating func hasReported(_ entry: LogEntry) -> Bool {
        guard isInOpening else { return false }
        let isKnown = entriesOfOpenings.contains { known in
            known.cause == entry.cause && known.version == entry.version && known.detail == entry.detail
        }
        if !isKnown { entriesOfOpenings.append(entry) }
        return isKnown
    }

    /// Whether nothing is known that a file may belong to and that could not be read.
    var mayDelete: Bool { !isDeletionForbidden && !isNewerFormatKept }

    /// Whether files that the record does not name may be removed.
    var mayCollectGarbage: Bool { phase == .running && mayDelete && !isRecordUnsynced }

    /// The launch has arrived.
    mutating func beginOpening() { phase = .opening }

    /// The version to start is chosen; a store that can't be written stays so.
    mutating func endOpening() {
        isOpen = true
        if phase == .opening { phase = .running }
    }

    /// Nothing can be shown with what was read: everything is read again, and what was forbidden because it
    /// could not be read is allowed again.
    mutating func beginAnew() {
        phase = .opening
        isOpen = false
        isDeletionForbidden = false
        isNewerFormatKept = false
        isPackageUnread = false
        hasNoRoom = false
    }

    /// - Parameter error: what the disk said to the opening.
    mutating func becomeReadOnly(after error: DiskError) {
        phase = .readOnlyStore
        isDeletionForbidden = true
        hasNoRoom = error.errorClass == .full
    }

    mutating func recordNotSynced() { unsyncedSlots = 2 }

    /// A record that was written beside both slots is durable, in the place of the older one. The other slot
    /// is made durable by the next one: overwritten in place, it could be a file without a durable name.
    mutating func recordSynced() { unsyncedSlots = max(0, unsyncedSlots - 1) }

    /// Something that may name files could not be read.
    mutating func forbidDeletion() { isDeletionForbidden = true }

    mutating func leavePackageUnread() {
        isDeletionForbidden = true
        isPackageUnread = true
    }

    mutating func keepNewerFormat() { isNewerFormatKept = true }

    /// A start of a version is confirmed, so that files of the newer format need not be kept.
    /// - Returns: whether there are any.
    mutating func dropNewerFormat() -> Bool {
        guard isNewerFormatKept else { return false }
        isNewerFormatKept = false
        return true
    }
}
