import Core
import ScenarioLanguage

/// Until when the URLs of files work that a device has got by a manifest, where the origin's URLs expire.
struct URLExpiries: Hashable, Sendable {
    /// What a device's last manifest was given out with.
    private struct Given: Hashable, Sendable {
        var device: Int
        var at: Instant
        /// Number of publications until then.
        var publications: Int
    }

    private var given: [Given] = []

    /// A device gets a manifest.
    mutating func manifestGiven(to device: Int, at now: Instant, publications: Int) {
        given.removeAll { $0.device == device }
        given.append(Given(device: device, at: now, publications: publications))
    }

    /// Status with which the origin refuses a file; nil: its URL works. A device that never asked for a
    /// manifest has its URLs from the app package, which expired long ago.
    func refusal(_ expiry: URLExpiry, to device: Int, at now: Instant, publications: Int) -> Int? {
        let last = given.first { $0.device == device }
        switch expiry {
        case .after(let span): return last.map { now - $0.at < span } == true ? nil : 403
        case .withDeploy: return last?.publications == publications ? nil : 410
        }
    }
}
