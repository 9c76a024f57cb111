import Core
import ScenarioLanguage
import Updater

/// App, device and versions of a scenario, reconstructed from a report, and the guesses for what the report
/// does not say.
struct LogReconstruction: Sendable {
    struct Version: Sendable {
        /// Name in the scenario.
        var name: String
        /// Id in the report.
        var id: String
        var isEmbedded = false
        /// Value of `startup` in the scenario; nil: the default.
        var startup: PrintedValue?
        /// What the report does not say about the start-up.
        var startupGuess: String?
    }

    let reading: ReportReading
    private(set) var versions: [Version] = []
    /// Native builds in the order of their installation, each with the name of its embedded version.
    private(set) var builds: [(number: String, embeds: String?)] = []
    /// Name of the device profile.
    private(set) var profile: String
    private(set) var guesses: [String] = []

    init(_ reading: ReportReading, profiles: [String]) {
        self.reading = reading
        let (wanted, known) = LogReconstruction.profile(of: reading, profiles)
        profile = known
        if wanted != known { guesses.append("the device: there is no profile '\(wanted)' here") }
        addVersions()
        addBuilds()
        for index in versions.indices { setStartup(index) }
    }

    /// A short manifest that the app refuses for this cause; nil when there is none.
    func manifest(refusedFor cause: LogCause) -> String? {
        let isOwnDialect = !["meteor", "frontend"].contains(reading.app?["dialect"])
        let app = reading.app?["id"] ?? "com.example.shop"
        switch cause {
        case .manifestUnreadable: return "<html>Not a manifest</html>"
        case .manifestUnknownFormat where isOwnDialect: return #"{"format":"otalab-manifest-9"}"#
        case .manifestWithoutVersion where isOwnDialect:
            return #"{"format":"otalab-manifest-1","app":"\#(app)"}"#
        case .manifestFieldMissing where isOwnDialect:
            return #"{"format":"otalab-manifest-1","app":"\#(app)","version":"9","index":"/"}"#
        default: return nil
        }
    }

    func name(ofID id: String?) -> String? { versions.first { $0.id == id }?.name }

    // MARK: - The device

    /// - Returns: the profile that fits best, and the one to use, which is among `known`.
    private static func profile(of reading: ReportReading, _ known: [String]) -> (String, String) {
        let platform = reading.app?["platform"]
        let launches = reading.entries.filter { $0.cause == .launched }
        let reportsExit = launches.contains { $0.detail("last-exit") != nil }
        let wanted: String
        switch platform {
        case "android": wanted = reportsExit || launches.count < 2 ? "android-14" : "android-8-go"
        case "ios": wanted = "ios-17"
        default: wanted = "plain"
        }
        return (wanted, known.contains(wanted) ? wanted : "plain")
    }

    // MARK: - Versions and builds

    private mutating func addVersions() {
        var ids: [(id: String, isEmbedded: Bool)] = []
        for line in reading.versions {
            guard let id = line["id"].map(ReportReading.cleaned), !ids.contains(where: { $0.id == id }) else {
                continue
            }
            let roles = line["roles"]?.split(separator: ",").map(String.init) ?? []
            ids.append((id, roles.contains("embedded") || line["verified"] == "package"))
        }
        for entry in reading.entries {
            guard let id = entry.version, !ids.contains(where: { $0.id == id }) else { continue }
            ids.append((id, entry.cause == .storeUpdate))
        }
        // A report that lists versions lists the embedded one too, so that an app without one has none.
        if reading.versions.isEmpty, !ids.contains(where: \.isEmbedded) {
            let rescued = reading.entries.first { $0.cause == .rescued }?.version
            if let index = ids.firstIndex(where: { $0.id == rescued }) {
                ids[index].isEmbedded = true
                guesses.append("that '\(ids[index].id)' is the embedded version: it is what took over")
            } else {
                ids.insert(("embedded-\(ids.count)", true), at: 0)
                guesses.append("the embedded version: no line says which one it is")
            }
        }
        for (id, isEmbedded) in ids where isEmbedded { add(id, isEmbedded) }
        // Downloaded versions in the order of their downloads, then the others.
        let fetched = reading.entries.filter { $0.cause == .downloadStarted }.compactMap(\.version)
        let others = ids.filter { !$0.isEmbedded }.map(\.id)
        for id in fetched + others where others.contains(id) && name(ofID: id) == nil { add(id, false) }
    }

    private mutating func add(_ id: String, _ isEmbedded: Bool) {
        let isPlain = id.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x2E || byte == 0x5F
        }
        var name = isPlain && !id.isEmpty && id.utf8.count <= 40 && id != "embedded" ? id : ""
        if name.isEmpty || versions.contains(where: { $0.name == name }) {
            name = "version-\(versions.count + 1)"
        }
        versions.append(Version(name: name, id: id, isEmbedded: isEmbedded))
    }

    private mutating func addBuilds() {
        var numbers: [String] = []
        for entry in reading.entries where entry.cause == .launched {
            guard let number = entry.detail("native"), NativeBuild(number) != nil else { continue }
            if !numbers.contains(number) { numbers.append(number) }
        }
        if numbers.isEmpty {
            let stated = reading.app?["native"].flatMap { NativeBuild($0) == nil ? nil : $0 }
            numbers = [stated ?? "1.0"]
            if stated == nil { guesses.append("the native build's number") }
        }
        let embedded = versions.filter(\.isEmbedded).map(\.name)
        let updates = reading.entries.filter { $0.cause == .storeUpdate }
        for (index, number) in numbers.enumerated() {
            let embeddedName = updates.first { $0.detail("to") == number }?.version.flatMap { name(ofID: $0) }
            builds.append(
                (number, embeddedName ?? (index < embedded.count ? embedded[index] : embedded.last)))
        }
    }

    // MARK: - Start-ups

    /// How a start of a version ended.
    private enum StartEnd {
        case confirmed, throwsError, hangs, diesProcess, diesPage, left
    }

    /// The starts of a version in order: how each ended and how long it took.
    private func starts(of id: String) -> [(end: StartEnd, after: TimeSpan?)] {
        var starts: [(end: StartEnd, after: TimeSpan?)] = []
        var marked: ReportReading.Entry?
        var isOpen = false
        for (index, entry) in reading.entries.enumerated() where entry.version == id {
            if entry.cause == .startMarked {
                if isOpen { starts.append((.left, nil)) }
                marked = entry
                isOpen = true
                continue
            }
            guard isOpen, let end = LogReconstruction.end(entry.cause) else { continue }
            let isSameProcess = !reading.entries[..<index].contains {
                $0.cause == .launched && $0.line > (marked?.line ?? 0)
            }
            var span: TimeSpan?
            if isSameProcess, let from = marked?.after, let to = entry.after, to >= from { span = to - from }
            starts.append((end, span))
            isOpen = false
        }
        if isOpen, let line = marked?.line, reading.entries.contains(where: { $0.line > line }) {
            starts.append((.left, nil))
        }
        return starts
    }

    private static func end(_ cause: LogCause) -> StartEnd? {
        switch cause {
        case .startConfirmed: .confirmed
        case .startFailedByPage: .throwsError
        case .startFailedByClock, .startUnclearByClock: .hangs
        case .startFailedByCrash, .startFailedNotResponding, .startEndedInFront: .diesProcess
        case .startFailedWebProcess: .diesPage
        case .startUnclear, .startUncounted: .left
        default: nil
        }
    }

    private mutating func setStartup(_ index: Int) {
        let starts = starts(of: versions[index].id)
        guard let first = starts.first else { return }
        guard let good = starts.firstIndex(where: { $0.end == .confirmed }) else {
            versions[index].startup = LogReconstruction.startupValue(first.end, first.after)
            versions[index].startupGuess = LogReconstruction.guess(first.end)
            return
        }
        if good == 0 {
            guard let span = first.after, span >= .milliseconds(1_500) else { return }
            if reading.app?["confirmation"] == ConfirmationPolicy.loaded.rawValue { return }
            versions[index].startup = ["ready": .after(span - .milliseconds(100))]
            return
        }
        let failing = LogReconstruction.startupValue(first.end, first.after)
        versions[index].startup = ["fails": .number(Int64(good)), "how": failing]
        versions[index].startupGuess =
            LogReconstruction.guess(first.end) ?? "that its first starts alone go so"
    }

    private static func startupValue(_ end: StartEnd, _ span: TimeSpan?) -> PrintedValue {
        let load = TimeSpan.milliseconds(100)
        let after = span.map { $0 > load ? $0 - load : .zero } ?? .seconds(1)
        switch end {
        case .confirmed: return "normal"
        case .throwsError: return ["throws": .after(after)]
        case .hangs, .left: return ["hangs": true]
        case .diesProcess: return ["dies": "process", "after": "1s"]
        case .diesPage: return ["dies": "page", "after": "500ms"]
        }
    }

    private static func guess(_ end: StartEnd) -> String? {
        switch end {
        case .confirmed, .throwsError: nil
        case .hangs: "that it hangs: the report knows only that it never said that it had started"
        case .left: "that it hangs: the report knows only that its process ended before it had started"
        case .diesProcess, .diesPage: "when it dies: the report knows only that it did"
        }
    }
}

extension LogReconstruction {
    /// Text of the scenario file with these steps.
    func text(id: String, title: String, steps: [ScenarioDraft], head: [String]) -> String {
        ScenarioDraft.text(
            [
                ScenarioDraft("schema", 1), ScenarioDraft("title", .text(title)),
                ScenarioDraft("id", .text(id)),
                ScenarioDraft("tags", ["from-report"]), ScenarioDraft("device", .text(profile)),
                ScenarioDraft("app", app),
                ScenarioDraft("versions", .object(declarations)),
                ScenarioDraft("steps", .list(steps, rest: [])),
            ], head: head)
    }

    private var app: PrintedValue {
        var pairs: [PrintedValue.Pair] = []
        func add(_ key: String, _ value: PrintedValue) { pairs.append(.init(key, value)) }
        if let id = reading.app?["id"], !id.isEmpty { add("id", .text(id)) }
        if let dialect = reading.app?["dialect"], ["meteor", "frontend"].contains(dialect) {
            add("manifest", .text(dialect))
        }
        let buildValues = builds.map { build in
            PrintedValue.Pair(build.number, ["embeds": build.embeds.map { .text($0) } ?? .null])
        }
        add("builds", .object(buildValues))
        if let wait = reading.app?["startup-timeout"], wait.hasSuffix("ms"),
            let span = Int64(wait.dropLast(2)),
            (1...86_400_000).contains(span), span != 20_000
        {
            add("startupTimeout", .duration(.milliseconds(span)))
        }
        if reading.app?["confirmation"] == ConfirmationPolicy.loaded.rawValue { add("confirm", "loaded") }
        switch reading.app?["updates"].flatMap(UpdatePolicy.init(rawValue:)) {
        case .manual: add("checks", "manual")
        case .page: add("updates", "page")
        case .never: add("updates", "never")
        case .automatic, nil: break
        }
        return .object(pairs)
    }

    /// The versions; each except the first inherits from the previous one.
    private var declarations: [ScenarioDraft] {
        var before: String?
        return versions.map { version in
            var pairs: [PrintedValue.Pair] =
                before.map { [.init("from", .text($0)), .init("changes", ["app.js"])] }
                ?? [.init("files", ["index.html": "2 KB", "app.js": "40 KB"])]
            if version.id != version.name { pairs.append(.init("id", .text(version.id))) }
            if let startup = version.startup { pairs.append(.init("startup", startup)) }
            before = version.name
            return ScenarioDraft(
                version.name, .object(pairs), above: version.startupGuess.map { ["guess: \($0)"] } ?? [])
        }
    }
}
