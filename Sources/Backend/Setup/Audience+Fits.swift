import HTTP1
import ScenarioLanguage
import Updater

extension Audience {
    package func fits(user: String?, cohort: String?, channel: String) -> Bool {
        (self.user == nil || self.user == user) && (self.cohort == nil || self.cohort == cohort)
            && (self.channel == nil || self.channel == channel)
    }

    /// By what a request for the manifest says of its device (manifests.md, "Which version for whom").
    package func fits(_ fields: HeaderFields) -> Bool {
        fits(
            user: fields["OTA-User"], cohort: fields["OTA-Cohort"], channel: fields["OTA-Channel"] ?? "")
    }

    /// What an origin that targets says with `Vary`.
    package static let varies = "OTA-User, OTA-Cohort, OTA-Channel"
}
