import HTTP1
import Updater

/// The devices that a publication is meant for (F8, U9): those for which all that is said here is true.
package struct Audience: Hashable, Sendable {
    package var user: String?
    package var cohort: String?
    package var channel: String?

    package init(user: String? = nil, cohort: String? = nil, channel: String? = nil) {
        self.user = user
        self.cohort = cohort
        self.channel = channel
    }

    package func fits(user: String?, cohort: String?, channel: String) -> Bool {
        (self.user == nil || self.user == user) && (self.cohort == nil || self.cohort == cohort)
            && (self.channel == nil || self.channel == channel)
    }

    /// By what a request for the manifest says of its device (manifests.md, "Which version for whom").
    func fits(_ fields: [OriginField]) -> Bool {
        func told(_ name: String) -> String? {
            fields.first { HeaderFields.areEqual($0.name, name) }?.value
        }
        return fits(user: told("OTA-User"), cohort: told("OTA-Cohort"), channel: told("OTA-Channel") ?? "")
    }

    /// What an origin that targets says with `Vary`.
    static let varies = "OTA-User, OTA-Cohort, OTA-Channel"
}
