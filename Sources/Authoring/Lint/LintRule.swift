import ScenarioLanguage

/// A kind of finding; SARIF lists it as a rule.
package struct LintRule: Hashable, Sendable {
    /// The stable id: `E0103`. `E`: an error in a file; `W`: a warning; `P`: about a release.
    package var id: String
    /// The name for programs: `unknownKey`.
    package var name: String
    package var severity: Finding.Severity
    /// One sentence without a full stop.
    package var summary: String

    package static func named(_ id: String) -> LintRule? { all.first { $0.id == id } }

    /// All rules, sorted by id within each group.
    package static let all: [LintRule] =
        DiagnosticCode.allCases.map { code in
            LintRule(
                id: code.rawValue, name: "\(code)",
                severity: code.rawValue.hasPrefix("E") ? .error : .warning, summary: code.summary)
        }
        + LibraryRule.allCases.map {
            LintRule(id: $0.rawValue, name: "\($0)", severity: $0.severity, summary: $0.summary)
        }
        + ReleaseRule.allCases.map {
            LintRule(id: $0.rawValue, name: "\($0)", severity: $0.severity, summary: $0.summary)
        }
}

/// Checks that need several files or the list of rules.
enum LibraryRule: String, CaseIterable {
    case unreadable = "E0301"
    case sameName = "E0302"
    case sameTitle = "W0303"
    case unknownRule = "W0304"

    var severity: Finding.Severity { rawValue.hasPrefix("E") ? .error : .warning }

    var summary: String {
        switch self {
        case .unreadable: "a file that can't be read at all"
        case .sameName: "two scenarios with the same id: reports could not tell them apart"
        case .sameTitle: "two scenarios with the same title"
        case .unknownRule: "a rule that does not exist"
        }
    }
}

/// Checks of a release, and of its differences from the previous one.
package enum ReleaseRule: String, CaseIterable {
    case noIndex = "P0401"
    case badRoute = "P0402"
    case routesClash = "P0403"
    case tooLarge = "P0404"
    case brokenReference = "P0405"
    case unreadable = "P0406"
    case appChanged = "P0411"
    case portChanged = "P0412"
    case changedUnderHash = "P0413"
    case changedWithoutHash = "P0414"
    case sizeJump = "P0415"
    case spellingChanged = "P0416"

    var severity: Finding.Severity {
        switch self {
        case .noIndex, .badRoute, .routesClash, .tooLarge, .unreadable, .appChanged, .portChanged,
            .changedUnderHash:
            .error
        case .brokenReference, .changedWithoutHash, .sizeJump, .spellingChanged: .warning
        }
    }

    var summary: String {
        switch self {
        case .noIndex: "a release without /index.html: it has no page to load (rule U10)"
        case .badRoute: "a path that is not a valid route: updaters refuse the manifest (rule U10)"
        case .routesClash:
            "paths that are the same name on a volume that folds case or Unicode form (rule U10)"
        case .tooLarge: "more than an updater accepts: number of files, size of a file, total size (rule U10)"
        case .brokenReference: "the index refers to a file that is not in the release"
        case .unreadable: "a file of the release that can't be read, or is not a regular file"
        case .appChanged: "a different app id: installed apps refuse the release (rule U10)"
        case .portChanged: "a different port: pages lose their storage and cookies (rule S4)"
        case .changedUnderHash:
            "different content under a name with a hash: caches keep the old content (rule S5)"
        case .changedWithoutHash: "different content under the same name, which has no hash"
        case .sizeJump: "much larger than before"
        case .spellingChanged: "a name whose spelling changed, in case or Unicode form"
        }
    }
}
