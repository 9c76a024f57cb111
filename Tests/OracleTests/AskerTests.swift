import Backend
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import Oracle

@Suite("U9.audience: a check says who asks")
struct AskerTests {
    typealias Asker = RequestEvent.Asker

    static let right: Asker = {
        var asker = Asker { _ in nil }
        (asker.app, asker.device, asker.channel) = ("com.example.shop", "d-1", Stage.app.settings.channel)
        (asker.native, asker.running) = ("1.0", Stage.v1.id)
        return asker
    }()

    static func asked(_ asker: Asker) -> TraceEvent.Kind { Stage.sent(1, .manifest, asker: asker) }

    private func stage() -> Stage {
        var stage = Stage([AskerIsNamed()])
        stage.launch()
        stage.status { $0.current = Stage.v1 }
        return stage
    }

    @Test("A check that says all of it, twice, and one of the next process under another name")
    func right() {
        var stage = stage()
        stage.emit(Self.asked(AskerTests.right), Self.asked(AskerTests.right))
        stage.launch()
        var other = AskerTests.right
        other.device = "d-2"
        stage.emit(Self.asked(other))
        #expect(stage.broken == [])
    }

    static let mistakes: [(what: String, change: @Sendable (inout Asker) -> Void)] = [
        ("app", { $0.app = nil }), ("app", { $0.app = "com.example.other" }), ("device", { $0.device = nil }),
        ("device", { $0.device = "" }), ("channel", { $0.channel = "beta" }),
        ("channel", { $0.channel = nil }),
        ("native", { $0.native = "1.1" }), ("running", { $0.running = nil }),
        ("running", { $0.running = "v9" }), ("user", { $0.user = "ann" }),
        ("cohort", { $0.cohort = "blue" }),
    ]

    @Test("Each field that is wrong, missing or too many breaks the rule", arguments: mistakes.indices)
    func wrong(_ index: Int) {
        var stage = stage()
        var asker = AskerTests.right
        AskerTests.mistakes[index].change(&asker)
        stage.emit(Self.asked(asker))
        #expect(stage.broken == ["U9"], "\(AskerTests.mistakes[index].what)")
    }

    @Test("The device has one name in a process")
    func name() {
        var stage = stage()
        stage.emit(Self.asked(AskerTests.right))
        var other = AskerTests.right
        other.device = "d-2"
        stage.emit(Self.asked(other))
        #expect(stage.broken == ["U9"])
    }

    @Test("In the second after a change of the settings the former ones are no mistake, later they are")
    func changed() {
        var change = SettingsSpec()
        change.channel = Spanned("beta")
        for (wait, broken) in [(TimeSpan.milliseconds(900), [String]()), (.seconds(2), ["U9"])] {
            var stage = stage()
            stage.emit(.settingsChanged(change))
            stage.wait(wait)
            stage.emit(Self.asked(AskerTests.right))
            #expect(stage.broken == broken)
        }
    }
}

@Suite("U10.origin: an app asks one origin")
struct OneOriginTests {
    @Test(
        "Another host, another port and another scheme break the rule, and another path does not",
        arguments: [
            ("https://updates.example.com/a/b.js?c=/d", []), ("https://updates.example.com", []),
            ("HTTPS://Updates.example.com:443/x", []),
            ("https://cdn.example.com/x", ["U10"]), ("https://updates.example.com:8443/x", ["U10"]),
            ("http://updates.example.com/x", ["U10"]),
        ])
    func other(_ url: String, _ rules: [String]) {
        var stage = Stage([OneOrigin()])
        stage.launch()
        stage.emit(Stage.sent(1, .manifest), Stage.sent(2, .file("/x"), url: url))
        #expect(stage.broken == rules)
    }

    @Test("A new process, and other settings, may have another origin")
    func next() {
        var stage = Stage([OneOrigin()])
        stage.launch()
        stage.emit(Stage.sent(1, .manifest))
        stage.launch()
        stage.emit(Stage.sent(1, .manifest, url: "https://edge-2.example.com/x"))
        stage.emit(LineCheckerTests.change(user: "ann"))
        stage.emit(Stage.sent(2, .manifest))
        #expect(stage.broken == [])
    }
}
