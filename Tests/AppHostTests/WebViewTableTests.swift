import Core
import Testing
import Updater

@testable import AppHost

@Suite("Page loads of web views: each ends once, also when its document is never shown")
struct WebViewTableTests {
    private let v1 = VersionKey(id: "v1", digest: SHA256.hash(of: [1]))

    private func tokens(_ count: Int) -> [PageLoadToken] { (1...count).map { PageLoadToken(UInt64($0)) } }

    @Test("A load that was answered before the one that is shown has been aborted")
    func aborted() {
        let token = tokens(5)
        var table = WebViewTable()
        #expect(table.answer(token[0], with: v1, in: .first) == [])
        #expect(table.commit(token[0], in: .first) == [])
        for load in token[1...3] { #expect(table.answer(load, with: v1, in: .first) == []) }
        #expect(table.commit(token[2], in: .first) == [token[0], token[1]])
        #expect(table.first.uncommitted == [token[3]], "it may still be shown")
        #expect(table.answer(token[4], with: v1, in: .first) == [])
        #expect(table.commit(token[4], in: .first) == [token[2], token[3]])
        #expect(table.first.uncommitted == [])
    }

    @Test("A view that shows none of its loads keeps the newest eight")
    func neverShown() {
        let count = 8
        let token = tokens(count + 1)
        var table = WebViewTable()
        for load in token.prefix(count) { #expect(table.answer(load, with: v1, in: .first) == []) }
        #expect(table.answer(token[count], with: v1, in: .first) == [token[0]])
        #expect(table.view(of: token[count]) == .first && table.first.uncommitted.count == count)
    }

    @Test("A load that another view shows than the one it was answered for ends none of that view's")
    func mistaken() {
        let token = tokens(2)
        var table = WebViewTable()
        let side = WebViewID(1)
        table.add(side)
        _ = table.answer(token[0], with: v1, in: .first)
        _ = table.answer(token[1], with: v1, in: side)
        #expect(table.commit(token[1], in: .first) == [] && table.commit(token[0], in: side) == [])
        #expect(table.all.allSatisfy { $0.uncommitted.isEmpty })
    }

    @Test("A fresh view shows nothing and waits for nothing; one that was closed is a fresh one")
    func fresh() {
        let token = tokens(2)
        let side = WebViewID(1)
        var table = WebViewTable()
        #expect(table.all.map(\.id) == [.first] && table[side] == nil)
        for _ in 0..<2 {
            table.add(side)
            table.add(side)
            #expect(table.all.map(\.id) == [.first, side])
            for view in table.all {
                #expect(view.load == nil && view.version == nil && view.answeredLoad == nil)
                #expect(view.announcedNavigation == nil && view.target == nil && view.fragment.isEmpty)
                #expect(!view.hasContent && view.expected == nil && !view.mayStay)
                #expect(view.uncommitted.isEmpty && view.background.isEmpty)
            }
            _ = table.answer(token[0], with: v1, in: side)
            _ = table.commit(token[0], in: side)
            table.expectDocument(of: token[1], in: side)
            table.update(side) { $0.announced = AnnouncedNavigation(kind: .link, target: nil) }
            #expect(table.view(of: token[0]) == side)
            #expect(table.close(side) == [token[0]])
            #expect(table.all.map(\.id) == [.first] && table.view(of: token[0]) == .first)
        }
    }

    @Test(
        "A shown document has its version if it is the newest that was answered, and ends what was expected"
    )
    func committed() {
        let token = tokens(3)
        let v2 = VersionKey(id: "v2", digest: SHA256.hash(of: [2]))
        var table = WebViewTable()
        _ = table.answer(token[0], with: v1, in: .first)
        table.expectDocument(of: token[0], in: .first)
        table.update(.first) { $0.announced = AnnouncedNavigation(kind: .reload, target: nil) }
        #expect(table.first.version == nil && table.first.expected != nil)
        _ = table.commit(token[0], in: .first)
        #expect(table.first.load == token[0] && table.first.version == v1)
        #expect(table.first.expected == nil && table.first.announcedNavigation == nil)
        _ = table.answer(token[1], with: v2, in: .first)
        #expect(table.first.version == v1 && table.first.answeredLoad == token[1])
        #expect(table.commit(token[0], in: .first).isEmpty)
        #expect(table.first.version == v1, "the same document again")
        #expect(table.commit(token[2], in: .first) == [token[0]])
        #expect(table.first.version == nil, "of another one it is not known")
        #expect(table.commit(token[1], in: .first) == [token[2]])
        #expect(table.first.version == v2)
    }

    @Test(
        "A load that another view shows leaves no document to wait for in the view that it was answered for"
    )
    func mistakenWait() {
        let token = tokens(2)
        let side = WebViewID(1)
        var table = WebViewTable()
        table.add(side)
        for (view, load) in zip([.first, side], token) {
            _ = table.answer(load, with: v1, in: view)
            table.expectDocument(of: load, in: view)
        }
        _ = table.commit(token[1], in: .first)
        #expect(table.all.allSatisfy { $0.expected == nil })
    }

    @Test(
        "T4: Two views wait for one address and each shows what was requested for the other: neither stops waiting",
        arguments: [true, false], [true, false])
    func exchanged(isAnswered: Bool, isAnnounced: Bool) throws {
        let token = tokens(2)
        let side = WebViewID(1)
        let v2 = VersionKey(id: "v2", digest: SHA256.hash(of: [2]))
        var table = WebViewTable()
        table.add(side)
        for (view, load) in zip([.first, side], token) {
            if isAnnounced {
                table.update(view) { $0.announced = AnnouncedNavigation(kind: .reload, target: "/") }
            }
            table.request("/", of: load, in: view)
        }
        _ = table.answer(token[0], with: v1, in: .first)
        if isAnswered { _ = table.answer(token[1], with: v2, in: side) }
        let exchanged = table.exchange(for: token[0], in: side)
        #expect(exchanged?.load == (isAnnounced ? token[1] : nil))
        _ = table.commit(token[0], in: side)
        #expect(
            table[side]?.load == token[0]
                && table[side]?.uncommitted == (isAnnounced || !isAnswered ? [] : [token[1]]))
        guard isAnnounced else { return #expect(table.first.expected == nil) }
        #expect(exchanged?.view == .first && table[side]?.version == v1)
        #expect(table.first.expected?.load == token[1])
        #expect(table.first.uncommitted == (isAnswered ? [token[1]] : []))
        if !isAnswered { _ = table.answer(token[1], with: v2, in: .first) }
        #expect(table.exchange(for: token[1], in: .first) == nil)
        #expect(table.commit(token[1], in: .first).isEmpty)
        #expect(table.first.load == token[1] && table.first.version == v2 && table.first.expected == nil)
    }

    @Test(
        "T4: A view that waits for one of two loads goes on waiting when another one shows the other",
        arguments: [0, 1])
    func mistakenForOne(shownElsewhere: Int) {
        let token = tokens(2)
        let side = WebViewID(1)
        for isAnnounced in [true, false] {
            var table = WebViewTable()
            table.add(side)
            if isAnnounced {
                table.update(.first) { $0.announced = AnnouncedNavigation(kind: .reload, target: "/") }
            }
            for load in token {
                table.request("/", of: load, in: .first)
                _ = table.answer(load, with: v1, in: .first)
            }
            #expect(table.commit(token[shownElsewhere], in: side).isEmpty)
            let awaited = token[1 - shownElsewhere]
            let waits = isAnnounced || shownElsewhere == 0
            #expect(table.first.uncommitted == [awaited])
            #expect(table.first.expected?.load == (waits ? awaited : nil))
        }
    }

    @Test("Where the newest document does not come, what was in front is, with its address and content")
    func stay() {
        let token = tokens(4)
        var table = WebViewTable()
        #expect(!table.first.mayStay, "nothing is in front")
        _ = table.answer(token[0], with: v1, in: .first)
        _ = table.commit(token[0], in: .first)
        table.update(.first) { $0.target = "/" }
        #expect(table.contentShown(in: .first) && table.first.mayStay)
        for (load, target) in [(token[1], "/a"), (token[2], "/b")] {
            table.expectDocument(of: load, in: .first)
            table.update(.first) { ($0.target, $0.hasContent) = (target, false) }
        }
        #expect(!table.stay(in: .first, insteadOf: token[1]) && table.first.expected != nil)
        let isOfNewest = table.contentShown(in: .first)
        #expect(!isOfNewest && !table.first.hasContent)
        #expect(table.stay(in: .first, insteadOf: token[2]) && table.first.expected == nil)
        #expect(table.first.target == "/" && table.first.hasContent)
        table.expectDocument(of: token[3], in: .first, byHost: true)
        #expect(!table.first.mayStay, "the host replaces it")
        _ = table.commit(token[3], in: .first)
        table.expectDocument(of: token[1], in: .first)
        #expect(table.first.mayStay)
        table.processDied(in: .first)
        #expect(!table.first.mayStay, "nothing of it is left")
    }

    @Test("A document that comes back from the background gives up what was answered and not shown")
    func givenUp() {
        let token = tokens(3)
        var table = WebViewTable()
        _ = table.commit(token[0], in: .first)
        _ = table.moveToBackground(in: .first, for: token[1])
        _ = table.commit(token[1], in: .first)
        _ = table.answer(token[2], with: v1, in: .first)
        #expect(table.givenUp(for: token[1], in: .first).isEmpty)
        #expect(table.givenUp(for: token[0], in: .first) == [token[2]])
    }

    @Test("Eight documents live on behind the one in front; for a ninth the oldest is given up")
    func background() {
        let token = tokens(12)
        var table = WebViewTable()
        _ = table.commit(token[0], in: .first)
        for (index, load) in token.enumerated().dropFirst() {
            let dropped = table.moveToBackground(in: .first, for: load)
            #expect(dropped == (index > 8 ? token[index - 9] : nil), "\(index)")
            #expect(table.first.load == nil)
            #expect(table.commit(load, in: .first) == [])
            #expect(table.first.background.map(\.load) == Array(token[max(0, index - 8)..<index]))
        }
        #expect(table.moveToBackground(in: .first, for: token[11]) == nil && table.first.load == token[11])
    }

    @Test("A document that comes back from the background has its version, and is in front alone")
    func returned() {
        let v2 = VersionKey(id: "v2", digest: SHA256.hash(of: [2]))
        let token = tokens(2)
        var table = WebViewTable()
        for (load, key) in zip(token, [v1, v2]) {
            _ = table.answer(load, with: key, in: .first)
            _ = table.moveToBackground(in: .first, for: load)
            _ = table.commit(load, in: .first)
        }
        for (load, key) in [(token[0], v1), (token[1], v2)] {
            #expect(table.moveToBackground(in: .first, for: load) == nil)
            #expect(table.commit(load, in: .first) == [])
            #expect(table.first.load == load && table.first.version == key)
            #expect(table.first.background.map(\.load) == token.filter { $0 != load })
        }
        #expect(table.emptyBackground(of: .first) == [token[0]] && table.first.background.isEmpty)
        #expect(table.first.load == token[1])
    }

    @Test("One of eight documents comes back, and none is given up for the one that goes")
    func returnedOfEight() {
        let token = tokens(9)
        var table = WebViewTable()
        for load in token {
            _ = table.moveToBackground(in: .first, for: load)
            _ = table.commit(load, in: .first)
        }
        for load in token.prefix(8).reversed() {
            #expect(table.moveToBackground(in: .first, for: load) == nil)
            #expect(table.commit(load, in: .first) == [])
            #expect(Set(table.first.background.map(\.load)) == Set(token.filter { $0 != load }))
        }
    }

    @Test("A document that is gone is the view's no more, in front or behind; another one is no matter")
    func gone() {
        let token = tokens(4)
        var table = WebViewTable()
        for load in token.prefix(3) {
            _ = table.moveToBackground(in: .first, for: load)
            _ = table.commit(load, in: .first)
        }
        #expect(!table.remove(token[3], from: .first) && !table.remove(token[0], from: WebViewID(1)))
        #expect(table.remove(token[0], from: .first) == true)
        #expect(table.first.background.map(\.load) == [token[1]] && table.first.load == token[2])
        #expect(table.remove(token[0], from: .first) == false)
        #expect(table.remove(token[2], from: .first) == true)
        #expect(table.first.background.map(\.load) == [token[1]] && table.first.load == nil)
    }

    @Test("With a view end the loads of all its documents, shown or not")
    func closed() {
        let token = tokens(3)
        let side = WebViewID(1)
        for view in [WebViewID.first, side] {
            var table = WebViewTable()
            table.add(view)
            for load in token { _ = table.answer(load, with: v1, in: view) }
            _ = table.commit(token[0], in: view)
            _ = table.moveToBackground(in: view, for: token[1])
            _ = table.commit(token[1], in: view)
            #expect(table.close(view) == [token[1], token[0], token[2]])
            #expect(table.close(view) == [])
        }
    }
}
