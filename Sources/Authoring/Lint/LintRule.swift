import ScenarioLanguage

/// One kind of finding: what SARIF lists as a rule, and what `otalab help lint` explains.
package struct LintRule: Hashable, Sendable {
    /// Stable: `E0103`. `E`: an error of a file; `W`: a warning; `P`: about a release.
    package var id: String
    /// For machines: `unknownKey`.
    package var name: String
    package var severity: Finding.Severity
    /// One sentence without a full stop.
    package var summary: String

    package static func named(_ id: String) -> LintRule? { all.first { $0.id == id } }

    /// Sorted by id within their kind.
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

/// What only several files, or the rulebook, can tell.
enum LibraryRule: String, CaseIterable {
    case unreadable = "E0301"
    case sameName = "E0302"
    case sameTitle = "W0303"
    case unknownRule = "W0304"

    var severity: Finding.Severity { rawValue.hasPrefix("E") ? .error : .warning }

    var summary: String {
        switch self {
        case .unreadable: "a file that can't be read at all"
        case .sameName: "two scenarios of one id: reports could not tell them apart"
        case .sameTitle: "two scenarios of one title"
        case .unknownRule: "a rule that is not in the rulebook"
        }
    }
}

/// What a release says about itself, and beside the one before.
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
        case .noIndex: "a release without /index.html: no page can be loaded from it (rule U10)"
        case .badRoute: "a path that can be no route: updaters refuse the manifest (rule U10)"
        case .routesClash: "paths that are one name to a volume that folds case or Unicode form (rule U10)"
        case .tooLarge: "more than an updater takes: files, bytes of one, bytes of all (rule U10)"
        case .brokenReference: "the index refers to a file that is not in the release"
        case .unreadable: "a file of the release that can't be read, or is none"
        case .appChanged: "another app id: installed apps refuse the release (rule U10)"
        case .portChanged: "another port: pages lose their storage and cookies (rule S4)"
        case .changedUnderHash:
            "other content under a name that carries a hash: caches keep the old one (rule S5)"
        case .changedWithoutHash: "other content under the same name, which carries no hash"
        case .sizeJump: "much larger than before"
        case .spellingChanged: "a name that was spelled otherwise before, in case or Unicode form"
        }
    }
}
