import Core

/// A fault with what it applies to. It lasts until it is healed, for a duration, or a number of times.
package struct FaultSpec: Hashable, Sendable {
    package var kind: FaultKind
    /// nil: all requests.
    package var target: RequestSubject?
    /// Only where the device reaches this edge.
    package var edge: Spanned<String>?
    /// Only the nth matching request or disk call from the step on, counted from 1.
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

package enum FaultKind: Hashable, Sendable {
    case refuse
    case dnsFailure
    /// Nobody answers: the device gives up after its connect timeout.
    case connectTimeout
    /// The origin's certificate is not accepted: a wrong clock, a proxy.
    case insecure
    /// No network; running transfers are cut.
    case offline
    /// A deploy has not reached this edge: it answers with what it had before the last one.
    case staleEdge
    /// A page of somebody else's with status 200.
    case captivePortal
    /// The origin answers unknown paths with its index and status 200.
    case indexForUnknown
    /// The connection is reset after that much of the body; nil: before the head.
    case reset(after: Amount?)
    /// Nothing more comes after that much of the body; nil: not even the head.
    case stall(after: Amount?)
    /// The body ends early, cleanly, after that much.
    case truncate(Amount)
    /// That many bytes are others than they should be; nil: in the middle.
    case corrupt(bytes: Int, at: Amount?)
    case status(Int, headers: [HeaderSpec])
    case answer(AnswerSpec)
    /// Each such operation takes that much longer.
    case slow(SlowedOperation, by: TimeSpan)
    /// The disk is full after that many more bytes.
    case noSpace(after: Int)
    /// A write takes at most so many bytes; the rest has to be written again.
    case shortWrites(Int)
    /// The device is locked: the app's files can't be reached.
    case lockedDevice
    case readOnlyDisk
    /// Calls to the disk fail.
    case diskError(DiskErrorSpec)
    /// Another app holds the port of the local server.
    case portTaken
    /// Syncs report success and do nothing: a device whose cache lies. No word says it yet.
    case lyingSync
}

/// Where a fault takes effect.
package enum FaultDomain: Hashable, Sendable {
    /// Requests, on their way or at the origin: it can be aimed, counted, and given an edge.
    case request
    /// The device has no network, so that there is no request that it could meet.
    case network
    /// The device's disk, while it lasts.
    case disk
    /// The port of the app's server, while it lasts.
    case port
}

extension FaultKind {
    package var domain: FaultDomain {
        switch self {
        case .refuse, .dnsFailure, .connectTimeout, .insecure, .staleEdge, .captivePortal, .indexForUnknown,
            .reset, .stall, .truncate, .corrupt, .status, .answer, .slow(.answers, _):
            .request
        case .offline: .network
        case .slow(.diskReads, _), .slow(.diskWrites, _), .slow(.diskSyncs, _), .slow(.diskRemoves, _),
            .noSpace, .shortWrites, .lockedDevice, .readOnlyDisk, .diskError, .lyingSync:
            .disk
        case .portTaken: .port
        }
    }
}

/// Calls to the disk that fail. What a failed sync or close was to make durable is lost.
package struct DiskErrorSpec: Hashable, Sendable {
    package var code: DiskError.Code
    package var call: DiskCall
    /// nil: wherever the app reads or writes.
    package var area: DiskArea?

    package init(_ code: DiskError.Code, _ call: DiskCall, of area: DiskArea? = nil) {
        self.code = code
        self.call = call
        self.area = area
    }
}

/// A part of what the app reads and writes.
package enum DiskArea: String, CaseIterable, Hashable, Sendable {
    /// Both generations.
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

package enum SlowedOperation: String, CaseIterable, Hashable, Sendable {
    case diskReads = "disk reads"
    case diskWrites = "disk writes"
    case diskSyncs = "disk syncs"
    case diskRemoves = "disk removes"
    case answers
}

package struct HeaderSpec: Hashable, Sendable {
    package var name: Spanned<String>
    package var value: Spanned<String>

    package init(name: Spanned<String>, value: Spanned<String>) {
        self.name = name
        self.value = value
    }
}

/// A whole answer in place of the origin's own.
package struct AnswerSpec: Hashable, Sendable {
    package var status: Spanned<Int>
    /// Added to the origin's, or in their place.
    package var headers: [HeaderSpec]
    /// This text as body.
    package var body: Spanned<String>?
    /// `"of v3"`: the bytes that another version has under this route.
    package var bytesOf: Spanned<String>?
    /// The offset that a 206 really begins at, whatever was asked for.
    package var from: Spanned<Int>?
    package var etag: Spanned<String>?
    package var retryAfter: Spanned<TimeSpan>?
    package var span: SourceSpan
}

extension AnswerSpec {
    package init(_ status: Int) {
        self.init(
            status: Spanned(status), headers: [], body: nil, bytesOf: nil, from: nil, etag: nil,
            retryAfter: nil, span: SourceSpan(start: 0, end: 0))
    }
}

/// Damage done to something that is stored.
package struct DiskSpec: Hashable, Sendable {
    package var file: Spanned<DamageTarget>
    package var damage: Spanned<Damage>

    package init(file: Spanned<DamageTarget>, damage: Spanned<Damage>) {
        self.file = file
        self.damage = damage
    }
}

/// Something stored on the device, found by its content, never by the updater's memory.
package enum DamageTarget: Hashable, Sendable {
    case content(FileReference)
    /// The newer generation of the updater's record.
    case record
    /// Both generations.
    case records
    /// The counter of starts of proven versions.
    case starts
}

/// What becomes of stored bytes.
package enum Damage: Hashable, Sendable {
    /// What is left.
    case truncate(to: Amount)
    /// That many bytes changed, the size kept.
    case flip(bytes: Int)
    case remove
    /// Reading there fails.
    case readError(at: Amount)
}
