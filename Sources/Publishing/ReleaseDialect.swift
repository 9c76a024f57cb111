import Core
import Updater

/// The format of a folder's manifests.
///
/// The frontend dialect states a version, a date, and files with their hashes. Everything else that a release
/// may say (``ReleaseTerms``, a share, optional files, signatures) needs otalab's own. Meteor's is not
/// written: its files have no address but their route, so that a release would replace files of the one
/// before while devices download them.
package enum ReleaseDialect: String, Hashable, Sendable, CaseIterable {
    case own
    case frontend

    var manifest: ManifestDialect {
        switch self {
        case .own: .own
        case .frontend: .frontend
        }
    }

    /// What of a release this dialect can't say, as in "can't state …"; nil: nothing.
    func unsayable(_ release: Release, isSigned: Bool) -> String? {
        if self == .own { return nil }
        let terms = release.terms
        if isSigned { return "signatures" }
        if release.rollout != nil { return "a share of the devices" }
        if terms.order != .update { return "the order '\(terms.order.rawValue)'" }
        if terms.channel != nil { return "a channel" }
        if terms.native != NativeRange() { return "a range of builds" }
        if terms.dataSchema != nil || terms.dataSchemaReadableFrom != nil { return "a data schema" }
        if !terms.recalled.isEmpty { return "a recall" }
        if !terms.unblock.isEmpty { return "an end of blacklist entries" }
        // Source maps are published like all files, though no page needs them.
        if release.files.contains(where: { $0.isOptional && !$0.route.hasSuffix(".map") }) {
            return "optional files"
        }
        return nil
    }
}
