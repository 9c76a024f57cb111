import Core
import Testing
import Updater

@testable import AppHost

@Suite("Notices (T2)")
struct NoticeTests {
    private let page = PageLoadToken(1)
    private let next = PageLoadToken(2)

    private func key(_ id: String) -> VersionKey { VersionKey(id: id, digest: SHA256.hash(of: [1])) }

    private func progress(_ bytes: Int) -> Updater.Notice {
        .progress(DownloadProgress(version: key("v2"), filesDone: 0, files: 2, bytesDone: bytes, bytes: 9))
    }

    @Test("T2: what no page has heard is kept, of progress only the newest, and never more than a hundred")
    func kept() {
        var box = NoticeBox()
        for number in 0..<300 {
            box.add(.newVersionReady(key("v\(number)")))
            box.add(progress(number))
        }
        #expect(box.items.count == 100)
        #expect(box.items.count { $0.isProgress } == 1)
        #expect(box.items.last?.notice == progress(299))
        #expect(Set(box.items.map(\.id)).count == 100)
    }

    @Test("T2: what was sent to a document that goes unheard is sent to the next one, with the same id")
    func again() {
        var box = NoticeBox()
        box.add(.newVersionReady(key("v2")))
        let first = box.send(to: page)
        #expect(first.count == 1 && box.items.isEmpty)
        box.lost(page)
        #expect(box.send(to: next) == first)
    }

    @Test("T2: what a document was heard of after is not sent again")
    func once() {
        var box = NoticeBox()
        box.add(.newVersionReady(key("v2")))
        _ = box.send(to: page)
        box.heard(page)
        box.add(.newVersionReady(key("v3")))
        _ = box.send(to: page)
        box.lost(page)
        #expect(box.send(to: next).map(\.notice) == [.newVersionReady(key("v3"))])
    }

    @Test("T2: a word from another document says nothing about this one")
    func otherDocument() {
        var box = NoticeBox()
        box.add(.recalled(key("v2")))
        let sent = box.send(to: page)
        box.heard(next)
        box.lost(page)
        #expect(box.items == sent)
    }
}
