import Core

/// Checks what the field table can't express: contradictions between values, and expectations that can't be
/// met.
struct SemanticValidator {
    let scenario: Scenario
    private(set) var diagnostics: [Diagnostic] = []

    /// Whether steps are left out, so that checks that need all steps are not made.
    let isPartial: Bool

    static func check(_ scenario: Scenario, isPartial: Bool = false) -> [Diagnostic] {
        var checker = SemanticValidator(scenario: scenario, isPartial: isPartial)
        checker.checkVersions()
        if checker.diagnostics.isEmpty { checker.checkFiles() }
        if checker.diagnostics.isEmpty { checker.checkPackageSizes() }
        for version in scenario.versions { checker.checkStartup(version.startup) }
        checker.checkDevices()
        checker.checkSteps(scenario.steps)
        if !isPartial { checker.checkThatSomethingIsExpected() }
        return checker.diagnostics
    }

    /// Versions that a step deploys.
    private let published: [String]
    private var tree: VersionTree
    private var lookup: FileLookup

    private init(scenario: Scenario, isPartial: Bool) {
        self.scenario = scenario
        published = SemanticValidator.published(scenario)
        tree = VersionTree(scenario.versions)
        lookup = FileLookup(scenario)
        self.isPartial = isPartial
    }

    mutating func report(
        _ code: DiagnosticCode, _ message: String, label: String, at span: SourceSpan, help: String? = nil,
        severity: Diagnostic.Severity = .error
    ) {
        diagnostics.append(
            Diagnostic(
                code, message, label: label, severity: severity, file: scenario.source, at: span, help: help))
    }

    /// Reports versions whose `from` leads back to them.
    private mutating func checkVersions() {
        for index in scenario.versions.indices where tree.isInCircle(index) {
            let version = scenario.versions[index]
            report(
                .cycle, "'\(version.name.value)' comes from itself", label: "goes round in a circle",
                at: version.from?.span ?? version.name.span)
        }
    }

    private mutating func checkDevices() {
        guard let second = scenario.devices.dropFirst().first else { return }
        let crashes = scenario.steps.filter { $0.verb == .crash }
        let first = crashes.first?.device?.value ?? scenario.devices[0].name.value
        for crash in crashes where (crash.device?.value ?? scenario.devices[0].name.value) != first {
            report(
                .conflict, "a second crash on another device", label: "the first one is on '\(first)'",
                at: crash.device?.span ?? crash.verbSpan, help: "only one device of a scenario can crash")
        }
        if scenario.devices.count > 100 {
            report(.outOfRange, "too many devices", label: "at most 100", at: second.name.span)
        }
    }

    private mutating func checkFiles() {
        for index in scenario.versions.indices where scenario.versions[index].folder == nil {
            let version = scenario.versions[index]
            let inherited = tree.inherited(index)
            // The files of a build are known only when it is read.
            let isOpen = tree.inheritsFolder(index)
            for route in version.changes + version.without where !isOpen {
                if Scenario.has(route.value, inherited) { continue }
                report(
                    .unknownName, "'\(version.name.value)' does not inherit '\(route.value)'",
                    label: "not a file of '\(version.from?.value ?? "")'", at: route.span,
                    help: Suggestion.help(
                        for: route.value, among: inherited, choice: "it inherits"))
            }
            for file in version.files { checkSize(file) }
            for index in version.files.indices where !isOpen {
                if version.files[index].same == nil, version.files[index].size != nil { continue }
                checkFile(version.files[index])
            }
            let indexRoute = "/index.html"
            let hasIndex =
                (Scenario.has(indexRoute, inherited)
                    || version.files.contains { TextBytes.areEqual($0.route.value, indexRoute) })
                && !version.without.contains { TextBytes.areEqual($0.value, indexRoute) }
            if !hasIndex, !isOpen, scenario.app.manifest != .meteor {
                report(
                    .impossible, "'\(version.name.value)' has no index", label: "no file 'index.html'",
                    at: version.name.span, help: "add \"index.html\": \"2 KB\" to its files")
            }
        }
    }

    /// Routes of a version; empty when no version has that name.
    private mutating func routes(of name: String) -> [String] {
        tree.index(of: name).map { tree.routes(of: $0) } ?? []
    }

    /// Content is generated as it is read, so a file may be larger than any that the updater takes (U10). The
    /// limit stops a size that is a slip of the pen.
    private mutating func checkSize(_ file: FileSpec) {
        guard let size = file.size, size.value > 4_000_000_000 else { return }
        report(
            .outOfRange, "a file of more than 4 GB", label: "too large", at: size.span,
            help: "the updater refuses one over 512 MiB already (rule U10)")
    }

    private mutating func checkFile(_ file: FileSpec) {
        if let same = file.same {
            let files = routes(of: same.value.version)
            if Scenario.has(same.value.route, files) {
                if lookup.content(of: same.value) == nil {
                    report(
                        .cycle, "the content of '\(file.route.value)' is nowhere made",
                        label: "goes round in a circle", at: same.span)
                }
                return
            }
            report(
                .unknownName, "'\(same.value.version)' has no file '\(same.value.route)'", label: "not there",
                at: same.span,
                help: Suggestion.help(for: same.value.route, among: files, choice: "it has"))
        } else if file.size == nil {
            report(
                .missingKey, "'\(file.route.value)' has no size", label: "how large?", at: file.route.span,
                help: "add size: \"40 KB\", or same: \"v1:/app.js\"")
        }
    }

    private mutating func checkThatSomethingIsExpected() {
        func expects(_ steps: [Step]) -> Bool {
            steps.contains { step in
                switch step.action {
                case .expect, .always, .never: true
                case .repeat(let inner): expects(inner.steps)
                default: false
                }
            }
        }
        if expects(scenario.steps) { return }
        report(
            .nothingExpected, "this scenario expects nothing", label: "no 'expect' among the steps",
            at: scenario.title.span, help: "only the invariants would be checked", severity: .warning)
    }
}

// Steps and expectations.
extension SemanticValidator {
    private mutating func checkSteps(_ steps: [Step]) {
        for step in steps {
            checkRace(step)
            switch step.action {
            case .expect(let expect):
                check(expect.expectation)
                checkWhile(expect)
            case .always(let standing): check(standing.expectation)
            case .never(let standing): checkEmpty(standing.expectation)
            case .repeat(let inner):
                checkSteps(inner.steps)
                checkRounds(inner)
            case .deploy(let deploy):
                check(deploy.audience, of: deploy)
                checkStatedOrder(deploy, at: step)
                if let order = deploy.surplusOrder {
                    report(
                        .conflict, "'order' beside \"embedded\"", label: "\"embedded\" is the order",
                        at: order.span, help: "leave it out, or deploy a version with it")
                }
            case .page(let page):
                checkMessage(page)
                if let request = page.request { checkRequest(request, ofPage: true) }
            case .client(let client): checkClient(client)
            case .launch(.background, let link?), .relaunch(.background, let link?):
                report(
                    .conflict, "a link that opens the app in the background",
                    label: "brings the app to the front", at: link.span, help: "leave out \"background\"")
            case .fault(let fault):
                checkRemoteRoot(fault)
                checkConfiguration(fault)
                checkDiskError(fault)
            case .disk(let disk): checkDamage(disk)
            default: break
            }
        }
    }

    /// Files that differ between devices need their own URLs, which only the own dialect supports.
    private mutating func check(_ audience: Spanned<Audience>?, of deploy: DeploySpec) {
        guard let audience else { return }
        if deploy.order == .embedded {
            report(
                .impossible, "the order to leave all downloaded versions for some devices only",
                label: "not here", at: audience.span, help: "deploy a version for them")
        }
        if audience.value == Audience() {
            report(
                .impossible, "an audience of everybody", label: "says nothing", at: audience.span,
                help: "say user, cohort, channel or share, or leave it out")
        }
        if let share = audience.value.share, share > audience.value.of ?? Audience.standardOf {
            report(
                .impossible, "a share of more than all devices", label: "above 'of'", at: audience.span,
                help: "every device is in a share of \(audience.value.of ?? Audience.standardOf)")
        }
        if scenario.app.manifest != .own {
            report(
                .impossible, "a manifest of this dialect can't differ from device to device",
                label: "only with manifest: \"own\"", at: audience.span)
        }
    }

    /// Messages are held in memory, here and on a phone.
    private mutating func checkMessage(_ page: PageSpec) {
        guard case .sends(let text, let size?) = page.action else { return }
        if size.value > SemanticValidator.longestMessage {
            report(
                .outOfRange, "a message of more than 16 MB", label: "too large", at: size.span,
                help: "native code takes 1 MiB (rule N5): \"2 MB\" is too long for it")
        } else if size.value < text.value.utf8.count {
            report(
                .impossible, "the message is longer than its size", label: "less than its text",
                at: size.span, help: "leave it out, or say more than \(text.value.utf8.count) B")
        }
    }

    private static let longestMessage = 16_000_000

    /// Only a page requests a switch; an app that starts does not.
    private mutating func checkRace(_ step: Step) {
        guard let event = step.anyOrder.first(where: { $0.value == .switchApplied }) else { return }
        if case .page = step.action { return }
        report(
            .impossible, "no page requests a switch while the app starts", label: "never comes",
            at: event.span, help: "'switch applied' goes with 'page'")
    }

    private mutating func checkStored(_ name: Spanned<String>) {
        guard let colon = name.value.utf8.firstIndex(of: UInt8(ascii: ":")) else { return }
        let route = name.value[name.value.utf8.index(after: colon)...]
        let reference = FileReference(version: String(name.value[..<colon]), route: String(route))
        checkStored(reference, name.span)
    }

    mutating func checkStored(_ reference: FileReference, _ span: SourceSpan) {
        if scenario.versions.contains(where: { $0.folder != nil }) { return }
        let routes = routes(of: reference.version)
        if Scenario.has(reference.route, routes) { return }
        report(
            .unknownName, "'\(reference.version)' has no file '\(reference.route)'", label: "not there",
            at: span, help: Suggestion.help(for: reference.route, among: routes, choice: "it has"))
    }

    private mutating func checkWhile(_ step: ExpectStep) {
        guard let during = step.during, step.throughout == nil else { return }
        report(
            .conflict, "'while' needs 'throughout'", label: "no 'throughout' beside it", at: during.span,
            help: "or say it with 'always' or 'never'")
    }

    private mutating func checkEmpty(_ expectation: Expectation) {
        if expectation != Expectation(span: expectation.span) { return }
        report(
            .impossible, "an expectation of nothing", label: "empty", at: expectation.span,
            help: "say what must hold")
    }

    private mutating func check(_ expectation: Expectation) {
        checkEmpty(expectation)
        if expectation.process?.value == .gone {
            if let running = expectation.running, running.value != nil {
                contradiction("a version runs in a process that is gone", running.span)
            }
            if let page = expectation.page, page.value != .gone {
                contradiction("a page in a process that is gone", page.span)
            }
            if let confirmed = expectation.confirmed, confirmed.value {
                contradiction("nothing that runs has confirmed in a process that is gone", confirmed.span)
            }
        }
        let present = published + scenario.app.builds.compactMap(\.embeds?.value)
        for name in [expectation.running, expectation.lastKnownGood] { check(name, comesFrom: present) }
        check(expectation.pending, comesFrom: published)
        for page in expectation.pages { check(page.version, comesFrom: present) }
        for blame in expectation.blame {
            check(Spanned(blame.version.value, blame.version.span), comesFrom: published)
            if blame.cause == nil, blame.count == nil, blame.ended == nil {
                report(
                    .impossible, "blame that says nothing", label: "empty", at: blame.version.span,
                    help: "say cause, count or ended; 'blacklist' says that it is there")
            }
        }
        for name in expectation.storedFiles.map(\.all) ?? [] { checkStored(name) }
        for list in [expectation.blacklist, expectation.parked, expectation.stored] {
            for name in list.map(\.wanted) ?? [] {
                check(Spanned(name.value, name.span), comesFrom: published)
            }
        }
        for name in expectation.started.map(\.wanted) ?? [] {
            check(Spanned(name.value, name.span), comesFrom: present)
        }
        for start in expectation.starts {
            check(Spanned(start.version.value, start.version.span), comesFrom: present)
        }
    }

    private mutating func contradiction(_ message: String, _ span: SourceSpan) {
        report(.impossible, message, label: "can't hold together", at: span)
    }

    private mutating func check(_ name: Spanned<String?>?, comesFrom versions: [String]) {
        guard !isPartial, let name, let version = name.value, !versions.contains(version) else { return }
        let isEmbedded = scenario.app.builds.contains { $0.embeds?.value == version }
        report(
            .impossible, "'\(version)' never gets there",
            label: isEmbedded ? "is embedded, and never deployed" : "is never deployed", at: name.span,
            help: "add { deploy: \"\(version)\" } before it")
    }

    private static func published(_ scenario: Scenario) -> [String] {
        let embedded = scenario.app.builds.compactMap(\.embeds?.value)
        func names(_ steps: [Step]) -> [String] {
            steps.flatMap { step -> [String] in
                switch step.action {
                // Without a version: an order to the embedded one.
                case .deploy(let deploy): deploy.version.map { [$0.value] } ?? embedded
                case .repeat(let inner): names(inner.steps)
                default: []
                }
            }
        }
        return names(scenario.steps)
    }
}

extension ListExpectation {
    fileprivate var all: [Spanned<String>] {
        switch self {
        case .exact(let names, _): names
        case .partial(let has, let hasNot, _): has + hasNot
        }
    }

    /// Elements that must be in the list.
    fileprivate var wanted: [Spanned<String>] {
        switch self {
        case .exact(let names, _): names
        case .partial(let names, _, _): names
        }
    }
}
