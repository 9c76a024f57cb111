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

    @Test("A view that shows none of its loads keeps the newest")
    func neverShown() {
        let count = AppHost.maximumUncommittedLoads
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
