import Core
import LocalServer
import Testing
import Updater

@testable import AppHost

@Suite("Page loads on their way, and the hold of automatic switches (U6)")
struct LoadRequestTests {
    private let side = WebViewID(1)

    private func request(_ token: UInt64, _ view: WebViewID = .first) -> LoadRequests.Request {
        LoadRequests.Request(token: PageLoadToken(token), view: view, moment: .navigation, target: "/")
    }

    @Test("Of each view the newest load waits for the socket, and is taken once")
    func waiting() {
        var loads = LoadRequests()
        for (token, view) in [(1, .first), (2, side), (3, .first)] as [(UInt64, WebViewID)] {
            loads.wait(request(token, view))
        }
        #expect(loads.takeWaiting().map(\.token) == [PageLoadToken(2), PageLoadToken(3)])
        #expect(loads.takeWaiting().isEmpty)
    }

    @Test("Of each view the newest load is requested; its token counts once, and no other counts")
    func sent() {
        var loads = LoadRequests()
        for (token, view) in [(1, .first), (2, side), (3, .first)] as [(UInt64, WebViewID)] {
            loads.addSent(request(token, view))
        }
        #expect(loads.take(nil) == nil && loads.take(PageLoadToken(1)) == nil)
        #expect(loads.take(PageLoadToken(2))?.view == side)
        #expect(loads.take(PageLoadToken(2)) == nil)
        #expect(loads.take(PageLoadToken(3))?.view == .first)
        #expect(loads.take(PageLoadToken(3)) == nil)
        #expect(!loads.hasLoadedPage, "another server may answer")
    }

    @Test("A navigation that waits for a version is taken by its load, once; with it a page is loaded")
    func navigations() {
        var loads = LoadRequests()
        defer { #expect(loads.hasLoadedPage) }
        for token in 1...2 as ClosedRange<UInt64> {
            loads.add(
                LoadRequests.Navigation(
                    load: PageLoadToken(token), id: LocalServer.NavigationID(UInt32(token)), view: .first))
        }
        #expect(loads.takeNavigation(PageLoadToken(3)) == nil)
        #expect(loads.navigation(LocalServer.NavigationID(2))?.load == PageLoadToken(2))
        #expect(loads.answeredLoad(of: LocalServer.NavigationID(2)) == nil)
        #expect(loads.takeNavigation(PageLoadToken(2))?.id == LocalServer.NavigationID(2))
        #expect(loads.navigation(LocalServer.NavigationID(2)) == nil)
        #expect(loads.answeredLoad(of: LocalServer.NavigationID(2)) == PageLoadToken(2))
        #expect(loads.answeredLoad(of: LocalServer.NavigationID(1)) == nil)
        #expect(loads.takeNavigation(PageLoadToken(2)) == nil)
        #expect(loads.takeNavigation(PageLoadToken(1)) != nil)
    }

    @Test("U6: a page holds switches off for 24 h from its first request, however often it repeats it")
    func hold() {
        let begin = Instant.zero + .hours(1)
        let day = TimeSpan.hours(24)
        var hold = SwitchHold()
        #expect(!hold.isActive(at: begin))
        hold.begin(at: begin)
        hold.begin(at: begin + .hours(20))
        #expect(hold.isActive(at: begin) && hold.isActive(at: begin + day - .microseconds(1)))
        #expect(!hold.isActive(at: begin + day))
        hold.end()
        #expect(!hold.isActive(at: begin + .hours(2)))
        hold.begin(at: begin + .hours(2))
        #expect(hold.isActive(at: begin + .hours(25)) && !hold.isActive(at: begin + .hours(26)))
    }

    @Test("Secrets are of the launch's last 16 random bytes: each counts, and no token comes twice")
    func secrets() {
        let entropy = [UInt8](0..<32)
        func key(_ bytes: [UInt8]) -> String { LaunchSecrets(entropy: bytes).sessionKey }
        let one = key(entropy)
        #expect(one.utf8.count == 32 && one.prefix(16) != one.suffix(16))
        #expect(LaunchSecrets().sessionKey.isEmpty)
        for index in entropy.indices {
            var other = entropy
            other[index] ^= 1
            #expect((key(other) == one) == (index < 16), "\(index)")
        }
        var secrets = LaunchSecrets(entropy: entropy)
        var again = LaunchSecrets(entropy: entropy)
        let tokens = (0..<100).map { _ in secrets.newToken() }
        #expect(Set(tokens).count == 100 && tokens == (0..<100).map { _ in again.newToken() })
    }
}
