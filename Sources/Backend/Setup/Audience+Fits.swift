import HTTP1
import ScenarioLanguage
import Updater

extension Audience {
    /// Whether a device with these properties belongs to the audience.
    package func fits(user: String?, cohort: String?, channel: String) -> Bool {
        (self.user == nil || self.user == user) && (self.cohort == nil || self.cohort == cohort)
            && (self.channel == nil || self.channel == channel)
    }

    /// The same, by the header fields in which a manifest request describes its device (U9).
    package func fits(_ fields: HeaderFields) -> Bool {
        fits(
            user: fields["OTA-User"], cohort: fields["OTA-Cohort"], channel: fields["OTA-Channel"] ?? "")
    }

    /// Value of `Vary` in the answers of an origin that publishes for audiences.
    package static let vary = "OTA-User, OTA-Cohort, OTA-Channel"
}
