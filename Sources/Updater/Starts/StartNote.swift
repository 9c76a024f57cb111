import Core

/// What `store/starts` notes about the start whose index was served last (R2): enough for the next process to
/// tell whether the app was in front when this one ended.
///
/// It is written without a sync when the index is served, and whenever it changes while the start is open: a
/// kill keeps it, a power cut may lose it. So a start without a note served nothing, unless the device was
/// booted in between. Proven and embedded versions are noted too, for R13.
struct StartNote: Hashable, Sendable {
    /// Where the app was.
    enum Presence: String, Hashable, Sendable, CaseIterable {
        /// In front and active: between a scene's willEnterForeground and the moment when none is active
        /// (iOS), between onResume and onPause (Android). Never under a debugger.
        case front
        /// Not active; or in background, or behind another version, after the page has had 5 s in front.
        case away
        /// In background, or behind another version, and the page has had less than 5 s in front.
        case unseen
    }

    /// First page load of the start, as in its start record.
    var token: PageLoadToken
    /// Digest of the version.
    var digest: Digest256
    /// Hash of the boot id; nil if the platform provides none.
    var boot: UInt32?
    var presence: Presence
    /// Whether the start is open: neither confirmed nor ended. The next process closes a note that it has
    /// evaluated.
    var isOpen = true

    init(token: PageLoadToken, digest: Digest256, boot: UInt32?, presence: Presence) {
        self.token = token
        self.digest = digest
        self.boot = boot
        self.presence = presence
    }

    static func hash(ofBoot id: String?) -> UInt32? { id.map { FNV1a32.hash(of: $0) } }

    /// Its value in the file.
    var text: String {
        let boot = boot.map { "\($0)" } ?? "-"
        return "\(token.text),\(digest.hex),\(boot),\(presence.rawValue),\(isOpen ? "open" : "over")"
    }

    init?(text: Substring) {
        let parts = text.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0) }
        guard parts.count == 5, let token = PageLoadToken(text: parts[0]),
            let digest = Digest256(hex: parts[1]), let presence = Presence(rawValue: String(parts[3])),
            parts[4] == "open" || parts[4] == "over"
        else { return nil }
        let boot = UInt32(parts[2])
        guard boot != nil || parts[2] == "-" else { return nil }
        self.init(token: token, digest: digest, boot: boot, presence: presence)
        isOpen = parts[4] == "open"
    }
}

/// How the process of a start that was open ended (R3), as far as the platform and the note say.
enum ProcessEnd: Hashable, Sendable {
    /// Nothing was served, so that it was no start.
    case notServed
    case crash
    case notResponding
    /// In front, and no record explains it: a crash at start, on a platform that keeps no records.
    case inFront
    /// In background, before the page had 5 s in front.
    case unseen
    case unexplained

    /// - Parameters:
    ///   - note: the note of this start; nil: there is none.
    ///   - isSameBoot: whether the device was not booted since; nil: the platform does not say.
    init(_ exit: ExitRecord?, _ note: StartNote?, isSameBoot: Bool?) {
        if note == nil, isSameBoot == true {
            self = .notServed
            return
        }
        // After a boot the note may be lost with a power cut, or the process may have ended before it served
        // anything: its record is no evidence against this version (R4).
        let exit = note == nil && isSameBoot == false ? nil : exit
        switch exit {
        case .crash: self = .crash
        case .notResponding: self = .notResponding
        case .userRequested, .lowMemory, .other, nil:
            // A closed note: the start was over when the process ended, but the record does not say how,
            // because it could not be written, or fell back to an older generation (R8).
            switch note.flatMap({ $0.isOpen ? $0.presence : nil }) {
            case .unseen: self = .unseen
            case .front where exit == nil && isSameBoot == true: self = .inFront
            case .front, .away, nil: self = .unexplained
            }
        }
    }

    /// R13: whether it counts against the only version.
    var isBroken: Bool {
        switch self {
        case .crash, .notResponding, .inFront: true
        case .notServed, .unseen, .unexplained: false
        }
    }
}
