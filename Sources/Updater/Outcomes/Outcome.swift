import Core

/// Something that an operator wants to know of a version on a device (T3): kept in the record until the
/// origin has taken it.
struct Outcome: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It became what pages are loaded from.
        case taken
        case confirmed
        case failed
        /// A start of it ended and nobody knows why: no word against it (R4).
        case unclear
        /// After three unclear ends in a row it waits for a day (R3).
        case parked
        /// The user got another version in its place.
        case rescued
        /// It was offered and not taken.
        case refused
    }

    /// Unique: the device's own name and a number. The origin may get it twice.
    var id: String
    /// The origin's time then; nil until a process knows it.
    var time: OriginTime?
    var version: String
    var native: String
    var kind: Kind
    var cause: LogCause

    /// As the origin gets it, and as the record keeps it until then.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        if let time { json.member("time", time.seconds) }
        json.member("version", version)
        json.member("native", native)
        json.member("outcome", kind.rawValue)
        json.member("cause", cause.rawValue)
        json.endObject()
    }
}

extension Outcome.Kind {
    /// What an entry of the log tells an operator; nil: nothing.
    init?(_ cause: LogCause) {
        switch cause {
        case .switched: self = .taken
        case .startConfirmed: self = .confirmed
        case .startFailedByPage, .startFailedByCrash, .startFailedNotResponding, .startFailedWebProcess,
            .startFailedByClock:
            self = .failed
        case .startUnclear, .startUnclearByClock: self = .unclear
        case .parked: self = .parked
        case .rescued: self = .rescued
        case .blacklisted, .parkedOffer, .recalledOffer, .otherApp, .otherChannel, .nativeOutsideRange,
            .originChangeNotAllowed, .dateAhead, .noSpace:
            self = .refused
        default: return nil
        }
    }
}
