import Core
import Updater

/// Something that goes wrong between device and origin, at the origin, or on the device's disk, until
/// it is healed, for a time, or so many times.
package struct Fault: Hashable, Sendable {
    /// Names it for ``Action/heal(_:)`` and in facts; unique among those that are there.
    package var id: String
    package var kind: Kind
    /// Which requests; disk faults leave it at `all`.
    package var target = Target.all
    /// Only where the device reaches this edge.
    package var edge: String?
    /// Only the nth request it fits from now on, counted from 1.
    package var nth: Int?
    /// Only that many of the requests it fits.
    package var times: Int?
    package var duration: TimeSpan?

    package init(id: String, _ kind: Kind, target: Target = .all) {
        self.id = id
        self.kind = kind
        self.target = target
    }

    package enum Target: Hashable, Sendable {
        case all
        case manifest
        /// Meteor's index, or the route that answers navigations.
        case index
        case outcomes
        case route(String)
    }

    package enum Kind: Hashable, Sendable {
        case refuse
        case dnsFailure
        /// Nobody answers: the device gives up after its connect timeout.
        case connectTimeout
        /// The certificate is not accepted.
        case insecure
        /// No network; running transfers are cut.
        case offline
        /// This edge answers with what it had before the last deploy.
        case staleEdge
        /// A page of somebody else's with status 200.
        case captivePortal
        /// Unknown paths are answered with the index and status 200.
        case indexForUnknown
        /// The connection is reset after that much of the body; nil: before the head.
        case reset(after: Amount?)
        /// Nothing more comes after that much of the body; nil: not even the head.
        case stall(after: Amount?)
        /// The connection closes early, in order, after that much.
        case truncate(after: Amount)
        /// That many bytes are others than they should be; nil: in the middle.
        case corrupt(bytes: Int, at: Amount?)
        case status(Int, fields: [OriginField])
        case answer(AnswerSetup)
        /// Answers take that much longer to begin.
        case slowAnswers(by: TimeSpan)
        /// Bits per second instead of the link's.
        case bandwidth(Int)
        case slowDisk(DiskWork, by: TimeSpan)
        /// The data volume takes so many more bytes.
        case noSpace(after: Int)
        /// The device is locked: its files can't be reached.
        case diskDenied
        case diskReadOnly
        /// The calls that fail; `nth` and `times` of the fault do not apply.
        case disk(DiskFault)
        /// Syncs answer and do nothing.
        case lyingSync
        /// A power cut may leave garbage.
        case garbage
        /// Writes accept at most so many bytes.
        case shortWrites(Int)
        /// The app's port is held by another app.
        case portTaken
    }

    package enum DiskWork: String, Hashable, Sendable, CaseIterable {
        case reads, writes, syncs, removes
    }
}

/// A whole answer in place of the origin's own.
package struct AnswerSetup: Hashable, Sendable {
    package var status: Int
    /// Added to the origin's, or in their place.
    package var fields: [OriginField] = []
    /// This text as body.
    package var body: String?
    /// The bytes that another version has under this route.
    package var bytesOf: String?
    /// The offset that a 206 really begins at, whatever was asked for.
    package var from: Int?
    package var etag: String?

    package init(status: Int) { self.status = status }
}

/// A part of a file.
package enum Amount: Hashable, Sendable {
    case percent(Int)
    case bytes(Int)

    /// In bytes of a whole, rounded down.
    package func bytes(of whole: Int) -> Int {
        switch self {
        case .bytes(let count): count
        case .percent(let percent): whole / 100 * percent + whole % 100 * percent / 100
        }
    }
}
