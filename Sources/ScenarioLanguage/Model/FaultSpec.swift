import Core

/// A fault and the requests or disk calls that it applies to. It lasts until it is healed, for a duration, or
/// for a number of times.
package struct FaultSpec: Hashable, Sendable {
    package var kind: FaultKind
    /// Requests that it applies to; nil for all.
    package var target: RequestSubject?
    /// Edge that it applies to; nil for all.
    package var edge: Spanned<String>?
    /// Ordinal of the only matching request or disk call that it applies to, from 1; nil for all.
    package var nth: Spanned<Int>?
    package var duration: Spanned<TimeSpan>?
    package var times: Spanned<Int>?
    package var span: SourceSpan
}

extension FaultSpec {
    package init(_ kind: FaultKind, target: RequestSubject? = nil) {
        self.init(
            kind: kind, target: target, edge: nil, nth: nil, duration: nil, times: nil,
            span: SourceSpan(start: 0, end: 0))
    }
}

extension FaultKind {
    /// Whether disk calls fail because of it.
    package var failsDiskCalls: Bool {
        switch self {
        case .diskError, .noSpace, .lockedDevice, .readOnlyDisk: true
        default: false
        }
    }
}

/// What a fault does.
package enum FaultKind: Hashable, Sendable {
    case refuse
    case dnsFailure
    /// The connection is not answered: the device gives up after its connect timeout.
    case connectTimeout
    /// The first of the origin's two addresses swallows packets; the device connects to the other one.
    case blackHoledAddress
    /// The origin's certificate is not accepted, for example because of a wrong clock or a proxy.
    case insecure
    /// No network; running transfers are aborted.
    case offline
    /// The last deploy has not reached this edge: it answers with the files before that deploy.
    case staleEdge
    /// A page of the network's operator with status 200.
    case captivePortal
    /// The origin answers unknown paths with its index and status 200.
    case indexForUnknown
    /// The connection is reset after this amount of the body; nil for before the head.
    case reset(after: Amount?)
    /// No more data arrives after this amount of the body; nil for before the head.
    case stall(after: Amount?)
    /// The body ends early after this amount, without an error.
    case truncate(Amount)
    /// This number of bytes is changed, from an offset; nil for the middle.
    case corrupt(bytes: Int, at: Amount?)
    case status(Int, headers: [HeaderSpec])
    case answer(AnswerSpec)
    /// Each operation of this kind takes longer.
    case slow(SlowedOperation, by: TimeSpan)
    /// The disk is full after this number of further bytes.
    case noSpace(after: Int)
    /// A write accepts at most this number of bytes; the caller has to write the rest again.
    case shortWrites(Int)
    /// The device is locked: the app's files are not accessible.
    case lockedDevice
    case readOnlyDisk
    /// Calls to the disk fail.
    case diskError(DiskErrorSpec)
    /// The app's timers fire late and together, at multiples of this time.
    case lateTimers(TimeSpan)
    /// Another app uses the port of the local server.
    case portTaken
    /// The system does not let the app listen on the port of the local server.
    case portRefused
    /// Syncs report success and do nothing, as in a device with a lying cache. The language has no keyword
    /// for it.
    case lyingSync
}

/// Where a fault takes effect.
package enum FaultDomain: Hashable, Sendable {
    /// Requests, on the network or at the origin: the fault can have a target, a count and an edge.
    case request
    /// The device's network: no request gets out.
    case network
    /// The device's disk.
    case disk
    /// The port of the local server.
    case port
    /// The timers of the app's process.
    case timers
}

extension FaultKind {
    package var domain: FaultDomain {
        switch self {
        case .refuse, .dnsFailure, .connectTimeout, .blackHoledAddress, .insecure, .staleEdge, .captivePortal,
            .indexForUnknown, .reset, .stall, .truncate, .corrupt, .status, .answer, .slow(.answers, _):
            .request
        case .offline: .network
        case .slow(.diskReads, _), .slow(.diskWrites, _), .slow(.diskSyncs, _), .slow(.diskRemoves, _),
            .noSpace, .shortWrites, .lockedDevice, .readOnlyDisk, .diskError, .lyingSync:
            .disk
        case .portTaken, .portRefused: .port
        case .lateTimers: .timers
        }
    }
}

extension FaultKind {
    /// Whether the remote root of an API can show the fault: it has one address, and its answers belong to
    /// no version.
    var canMeetRemoteRoot: Bool {
        switch self {
        case .blackHoledAddress, .staleEdge, .indexForUnknown: false
        case .answer(let answer):
            answer.bytesOf == nil && answer.from == nil && answer.configuration.isEmpty
        default: domain == .request
        }
    }
}

/// Disk calls that fail. Data that a failed sync or close should have made durable is lost.
package struct DiskErrorSpec: Hashable, Sendable {
    package var code: DiskError.Code
    package var call: DiskCall
    /// Files that are affected; nil for all.
    package var area: DiskArea?

    package init(_ code: DiskError.Code, _ call: DiskCall, of area: DiskArea? = nil) {
        self.code = code
        self.call = call
        self.area = area
    }

    /// Whether the error is one of a name and the call has none: it is on an open file.
    var isImpossible: Bool {
        switch call {
        case .open, .syncDirectory, .status, .list, .makeDirectory, .rename, .remove, .removeDirectory,
            .freeSpace:
            return false
        case .close, .read, .write, .truncate, .size, .sync, .lock: break
        }
        switch code {
        case .notFound, .exists, .notADirectory, .isADirectory, .notEmpty, .crossDevice, .nameTooLong:
            return true
        case .noSpace, .quota, .inputOutput, .denied, .readOnly, .tooManyOpen, .interrupted, .locked,
            .badHandle, .invalid, .noMemory, .tooBig, .other:
            return false
        }
    }
}

/// A group of files that the app reads and writes.
package enum DiskArea: String, CaseIterable, Hashable, Sendable {
    /// Both generations of the updater's record.
    case record
    /// The counter of starts of proven versions.
    case starts
    /// Verified contents of files.
    case contents
    /// Tables of complete versions.
    case tables
    /// The unfinished download.
    case download
    /// The files that came with the app.
    case package
}

/// Operations that a fault slows down.
package enum SlowedOperation: String, CaseIterable, Hashable, Sendable {
    case diskReads = "disk reads"
    case diskWrites = "disk writes"
    case diskSyncs = "disk syncs"
    case diskRemoves = "disk removes"
    case answers
}

/// A header field of an answer.
package struct HeaderSpec: Hashable, Sendable {
    package var name: Spanned<String>
    /// Value of the field; nil: the answer has no such field.
    package var value: Spanned<String?>

    package init(name: Spanned<String>, value: Spanned<String?>) {
        self.name = name
        self.value = value
    }
}

/// An answer that replaces the origin's.
package struct AnswerSpec: Hashable, Sendable {
    package var status: Spanned<Int>
    /// Header fields that are added to the origin's, replace them, or are left out.
    package var headers: [HeaderSpec]
    /// Text of the body.
    package var body: Spanned<String>?
    /// Version whose bytes under this route are the body: `"of v3"`.
    package var bytesOf: Spanned<String>?
    /// Offset at which a 206 begins, whatever range was requested.
    package var from: Spanned<Int>?
    package var etag: Spanned<String>?
    package var retryAfter: Spanned<TimeSpan>?
    /// Fields of the runtime configuration in Meteor's index, in place of its own.
    package var configuration: [HeaderSpec] = []
    package var span: SourceSpan
}

extension AnswerSpec {
    package init(_ status: Int) {
        self.init(
            status: Spanned(status), headers: [], body: nil, bytesOf: nil, from: nil, etag: nil,
            retryAfter: nil, span: SourceSpan(start: 0, end: 0))
    }
}

/// Damage to a stored file.
package struct DiskSpec: Hashable, Sendable {
    package var file: Spanned<DamageTarget>
    package var damage: Spanned<Damage>

    package init(file: Spanned<DamageTarget>, damage: Spanned<Damage>) {
        self.file = file
        self.damage = damage
    }
}

/// A stored file, found by its content and not by the updater's state.
package enum DamageTarget: Hashable, Sendable {
    case content(FileReference)
    /// The newer generation of the updater's record.
    case record
    /// Both generations of the updater's record.
    case records
    /// The counter of starts of proven versions.
    case starts
    /// The table of a version that is complete on the device, by the version's name.
    case table(of: String)
    /// The part of a file that an unfinished download has.
    case part(of: FileReference)
    /// The list of finished files of the unfinished download.
    case downloadList
    /// A file that the updater did not write, in a folder of its store.
    case stray(DiskArea)
}

extension DamageTarget {
    /// The target as the language writes it: `v2:/app.js`, `record`.
    package var text: String {
        switch self {
        case .content(let reference): reference.text
        case .record: "record"
        case .records: "records"
        case .starts: "starts"
        case .table(let version): DamageTarget.tablePrefix + version
        case .part(let reference): DamageTarget.partPrefix + reference.text
        case .downloadList: "list of the download"
        case .stray(let area): DamageTarget.strayPrefix + area.rawValue
        }
    }

    static let tablePrefix = "table of "
    static let partPrefix = "part of "
    static let strayPrefix = "stray in "
    /// Areas with a folder that a stray file can lie in.
    static let strayAreas: [DiskArea] = [.contents, .tables, .download]
}

/// How a stored file is damaged.
package enum Damage: Hashable, Sendable {
    /// Cut to this amount.
    case truncate(to: Amount)
    /// This number of bytes is changed; the size stays.
    case flip(bytes: Int)
    case remove
    /// Reading at this offset fails.
    case readError(at: Amount)
    /// A record becomes one that a newer version of the updater wrote.
    case newerFormat
    /// A stray file of this size appears.
    case create(bytes: Int)
}
