import Core

/// A fault with what it applies to. It lasts until it is healed, for a duration, or a number of times.
package struct FaultSpec: Hashable, Sendable {
    package var kind: FaultKind
    /// A route, or "manifest", "index", "outcomes"; nil: all requests.
    package var path: Spanned<String>?
    package var edge: Spanned<String>?
    /// Only the nth matching request from the step on, counted from 1.
    package var nth: Spanned<Int64>?
    package var duration: Spanned<TimeSpan>?
    package var times: Spanned<Int64>?
    package var span: SourceSpan
}

package enum FaultKind: Hashable, Sendable {
    case refuse
    case dnsFailure
    case connectTimeout
    /// The origin's certificate is not accepted: a wrong clock, a proxy.
    case insecure
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
    case corrupt(bytes: Int64, at: Amount?)
    case status(Int64, headers: [HeaderSpec])
    case answer(AnswerSpec)
    /// Each such operation takes that much longer.
    case slow(SlowWork, by: TimeSpan)
    /// The disk is full after that many more bytes.
    case noSpace(after: Int64)
    /// A write takes at most so many bytes; the rest has to be written again.
    case shortWrites(Int64)
    /// The device is locked: the app's files can't be reached.
    case lockedDevice
    case readOnlyDisk
    /// Another app holds the port of the local server.
    case portTaken
}

package enum SlowWork: String, CaseIterable, Hashable, Sendable {
    case diskReads = "disk reads"
    case diskWrites = "disk writes"
    case diskSyncs = "disk syncs"
    case diskRemoves = "disk removes"
    case answers
}

package struct HeaderSpec: Hashable, Sendable {
    package var name: Spanned<String>
    package var value: Spanned<String>
}

/// A whole answer in place of the origin's own.
package struct AnswerSpec: Hashable, Sendable {
    package var status: Spanned<Int64>
    /// Added to the origin's, or in their place.
    package var headers: [HeaderSpec]
    /// This text as body.
    package var body: Spanned<String>?
    /// `"of v3"`: the bytes that another version has under this route.
    package var bytesOf: Spanned<String>?
    /// The offset that a 206 really begins at, whatever was asked for.
    package var from: Spanned<Int64>?
    package var etag: Spanned<String>?
    package var retryAfter: Spanned<TimeSpan>?
    package var span: SourceSpan
}

/// Damage done to something that is stored.
package struct DiskSpec: Hashable, Sendable {
    package var file: Spanned<StoredThing>
    package var damage: Spanned<Damage>
}

package enum StoredThing: Hashable, Sendable {
    case content(FileReference)
    /// The newer generation of the updater's record.
    case record
    /// Both generations.
    case records
    /// The counter of starts of proven versions.
    case starts
}

package enum Damage: Hashable, Sendable {
    /// What is left.
    case truncate(to: Amount)
    /// That many bytes changed, the size kept.
    case flip(bytes: Int64)
    case remove
    /// Reading there fails.
    case readError(at: Amount)
}
