import Core
import ScenarioLanguage

/// Which manifests a device may accept by their signatures (U16), from trace events alone.
///
/// The keys in force are those of the native build, or those that the origin line has published in a signed
/// manifest whose version has confirmed. That a device has taken them is what it reports; a checker judges
/// whether it may. Silent about an expiry while an answer is under way.
package struct SigningState: Hashable, Sendable {
    private struct Line: Hashable, Sendable {
        var origin: String?
        var channel: String
    }

    private struct Published: Hashable, Sendable {
        var line: Line
        var keys: [String]
    }

    private struct Statement: Hashable, Sendable {
        var version: String
        var published: Published
    }

    private let app: AppSetup
    private var build: BuildSetup?
    private var line: Line
    /// Keys that lines have published, of confirmed versions.
    private var published: [Published] = []
    /// Keys that accepted manifests have stated, by the version's id.
    private var stated: [Statement] = []

    package init(_ app: AppSetup) {
        self.app = app
        build = app.builds.first { $0.name == app.installed }
        line = Line(origin: build?.origin, channel: app.settings.channel)
    }

    /// Names of the keys in force; nil: manifests are not signed.
    private var inForce: [String]? {
        guard let built = build?.keys else { return nil }
        if let own = published.first(where: { $0.line == line }) { return own.keys }
        return built.filter { name in app.keys.contains { $0.name == name && $0.form == .whole } }
    }

    package mutating func observe(_ event: TraceEvent) {
        switch event.kind {
        case .installed(let name):
            let before = build
            build = app.builds.first { $0.name == name }
            line.origin = build?.origin
            if let before, app.isStoreUpdate(from: before.name, to: name) {
                published = []
                stated = []
            }
        case .settingsChanged(let change, _): if let channel = change.channel { line.channel = channel.value }
        case .answerHead(_, status: 200, offered: let offered?, let summary):
            let signature = summary.signature
            guard isAuthentic(signature), !signature.keys.isEmpty else { return }
            stated.removeAll { $0.version == offered }
            stated.append(
                Statement(version: offered, published: Published(line: line, keys: signature.keys)))
        case .log(let entry) where entry.cause == .keysReplaced:
            guard let version = entry.version, let index = stated.lastIndex(where: { $0.version == version })
            else { return }
            let taken = stated.remove(at: index).published
            published.removeAll { $0.line == taken.line }
            published.append(taken)
        // A record that is begun anew knows the keys of the build alone.
        case .log(let entry) where entry.cause == .recordLost || entry.cause == .recordNewerFormat:
            published = []
            stated = []
        default: break
        }
    }

    /// Whether a device may accept a manifest with these signatures now.
    package func isAuthentic(_ signature: ManifestSignature) -> Bool {
        // An app without keys can't read a signed file.
        guard let inForce else { return signature.signers.isEmpty }
        // A manifest that names a key twice, or more than sixteen, is malformed.
        guard signature.keys.count <= 16, Set(signature.keys).count == signature.keys.count else {
            return false
        }
        guard signature.hashesAll, signature.signers.contains(where: inForce.contains) else { return false }
        guard let expires = signature.expires, let date = signature.date else { return true }
        return expires > date + max(app.wallClock, .zero)
    }
}
