import Core

/// Something that an operator needs to know about a version on a device (T3): kept in the record until the
/// origin has accepted it.
struct VersionOutcome: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It became current: pages are loaded from it.
        case taken
        case confirmed
        case failed
        /// A start of it ended for an unknown reason; not evidence against it (R4).
        case unclear
        /// After three unclear ends in a row it is not started for a day (R3).
        case parked
        /// The user was given another version instead of it.
        case rescued
        /// It was offered and refused.
        case refused
    }

    /// Unique id: the device's random name and a count. The origin may receive it twice.
    var id: String
    /// The origin's time when it happened; nil until a process knows it.
    var time: OriginTime?
    var version: String
    var native: String
    var kind: Kind
    var cause: LogCause

    /// The JSON that the origin receives and that the record keeps until then.
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

extension VersionOutcome.Kind {
    /// What a log entry means to an operator; nil: nothing.
    init?(_ cause: LogCause) {
        switch cause {
        case .switched: self = .taken
        case .startConfirmed: self = .confirmed
        case .startFailedByPage, .startFailedByCrash, .startFailedNotResponding, .startFailedWebProcess,
            .startFailedByClock:
            self = .failed
        case .startUnclear, .startUnclearByClock, .startEndedInFront: self = .unclear
        case .parked: self = .parked
        case .rescued: self = .rescued
        case .blacklisted, .parkedOffer, .recalledOffer, .otherApp, .otherChannel, .nativeOutsideRange,
            .originChangeNotAllowed, .dateAhead, .noSpace:
            self = .refused
        default: return nil
        }
    }
}
