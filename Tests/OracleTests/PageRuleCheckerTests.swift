import AppHost
import Backend
import Core
import Testing
import Updater

@testable import Oracle

@Suite("R11: pages whose web process died, seen to be noticed")
struct DeadPagesComeBackTests {
    private var stage: Stage {
        var stage = Stage.running(DeadPagesComeBack())
        stage.emit(.foregrounded, .activated)
        stage.open(Stage.v1, Stage.token(1))
        return stage
    }

    @Test("A page that died in front is not loaded again")
    func front() {
        var stage = stage
        stage.emit(.webProcessDied(.first))
        var reloaded = stage
        reloaded.wait(.seconds(5))
        reloaded.open(Stage.v1, Stage.token(2))
        reloaded.wait(.minutes(5))
        #expect(reloaded.broken == [])
        var stopped = stage
        stopped.emit(.screen(.recovery))
        stopped.wait(.minutes(5))
        #expect(stopped.broken == [])
        stage.wait(.seconds(30))
        #expect(stage.broken == [])
        stage.wait(.seconds(1))
        #expect(stage.broken == ["R11"])
        #expect(stage.headline == "A page whose web process died in front was not loaded again")
    }

    @Test("A page that died in background is loaded again there")
    func background() {
        var stage = stage
        stage.emit(.pageRequested(Stage.request(nil, "/", .document)))
        stage.emit(.deactivated, .backgrounded, .webProcessDied(.first))
        stage.wait(.minutes(5))
        #expect(stage.broken == [])
        var returned = stage
        returned.emit(.foregrounded, .activated)
        returned.open(Stage.v1, Stage.token(2))
        #expect(returned.broken == [])
        var pushed = stage
        pushed.emit(.pushed)
        pushed.open(Stage.v1, Stage.token(2))
        #expect(pushed.broken == [])
        var onItsWay = stage
        onItsWay.open(Stage.v1, Stage.token(2))
        #expect(onItsWay.broken == [])
        var linked = stage
        stage.emit(.pageRequested(Stage.request(nil, "/", .document)))
        stage.open(Stage.v1, Stage.token(2))
        #expect(stage.broken == ["R11"])
        linked.emit(.pageRequested(Stage.request(nil, "/orders", .document)))
        linked.open(Stage.v1, Stage.token(2))
        #expect(linked.broken == [], "a link opened another page")
        #expect(
            stage.headline == "A page whose web process died in background was loaded again there")
    }
}

@Suite("S3: pages in place of what a page needs, seen to be noticed")
struct PagesForNavigationsTests {
    private func received(
        _ target: String, _ destination: PageRequest.Destination, _ type: String, status: Int = 200
    ) -> [String] {
        var stage = Stage.running(PagesForNavigations()) { $0.api = ["/api/**"] }
        var answer = Stage.answer(of: 0, status: status)
        answer.type = type
        stage.emit(.pageReceived(Stage.request(Stage.token(1), target, destination), answer))
        return stage.broken
    }

    @Test(
        "A script, a style sheet, an image, a font or a file of data is a page",
        arguments: PageRequest.Destination.allCases)
    func page(_ destination: PageRequest.Destination) {
        let isNoticed = [.script, .style, .image, .font, .fetch].contains(destination)
        #expect(received("/missing.js?a=1", destination, "text/html") == (isNoticed ? ["S3"] : []))
        let isSo = isNoticed && destination != .fetch
        #expect(received("/u.d/missing", destination, "text/html") == (isSo ? ["S3"] : []))
    }

    @Test("Not what is no page, is one by its name, is an error, or comes from the remote root")
    func others() {
        #expect(received("/app.js", .script, "text/javascript") == [])
        #expect(received("/part.html?a=1", .image, "text/html") == [])
        #expect(received("/missing.js", .script, "text/html", status: 404) == [])
        #expect(received("/api/app.js", .script, "text/html") == [])
    }
}

@Suite("R13: a cover without end, seen to be noticed")
struct CoverEndsTests {
    private var stage: Stage {
        var stage = Stage.running(CoverEnds())
        stage.emit(.screen(.cover))
        return stage
    }

    @Test("Nothing is loaded, and the cover stays")
    func stays() {
        var stage = stage
        stage.wait(.seconds(150))
        #expect(stage.broken == [])
        stage.wait(.seconds(1))
        #expect(stage.broken == ["R13"])
        #expect(stage.headline == "The user looks at a cover, and nothing ends it")
    }

    @Test("It ends with content or a screen; a page load gives it new time; the user does not see it")
    func ends() {
        for end in [
            TraceEvent.Kind.screen(.page), .screen(.recovery), .backgrounded, .deactivated, .suspended,
        ] {
            var stage = stage
            stage.emit(end)
            stage.wait(.minutes(10))
            #expect(stage.broken == [])
        }
        var loading = stage
        loading.wait(.seconds(100))
        loading.open(Stage.v1, Stage.token(1))
        loading.wait(.seconds(100))
        #expect(loading.broken == [])
        loading.wait(.seconds(51))
        #expect(loading.broken == ["R13"])
        var returned = stage
        returned.emit(.deactivated)
        returned.wait(.minutes(10))
        returned.emit(.activated)
        returned.wait(.minutes(3))
        #expect(returned.broken == ["R13"])
    }
}
