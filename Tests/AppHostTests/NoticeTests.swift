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

    @Test("T2: what no page has got is kept, of progress only the newest, and never more than a hundred")
    func kept() {
        var outbox = NoticeOutbox()
        for number in 0..<300 {
            outbox.add(.newVersionReady(key("v\(number)")))
            outbox.add(progress(number))
        }
        #expect(outbox.items.count == 100)
        #expect(outbox.items.count { $0.isProgress } == 1)
        #expect(outbox.items.last?.notice == progress(299))
        #expect(Set(outbox.items.map(\.id)).count == 100)
    }

    @Test("T2: a page gets the progress of a download in files and in bytes")
    func progressMessage() throws {
        var outbox = NoticeOutbox()
        let progress = DownloadProgress(version: key("v2"), filesDone: 1, files: 2, bytesDone: 3, bytes: 9)
        outbox.add(.progress(progress))
        let message = BridgeJSON.notice(try #require(outbox.items.first))
        let params = try #require(JSONReader.read(message, dialect: .strict)["params"])
        #expect(params["version"]?.string == "v2")
        let numbers = ["filesDone", "files", "bytesDone", "bytes"].map { params[$0]?.integer }
        #expect(numbers == [1, 2, 3, 9])
    }

    @Test(
        "T2: each notice has its method, its id and what it is about; sizes that are not known are left out"
    )
    func messages() {
        let unknown = DownloadProgress(version: key("v2"), filesDone: 1, files: 2, bytesDone: 3, bytes: nil)
        let expected: [(Updater.Notice, String)] = [
            (.newVersionReady(key("v2")), #""method":"newVersionReady","params":{"version":"v2"}"#),
            (.recalled(key("v3")), #""method":"recalled","params":{"version":"v3"}"#),
            (.forced(key("v4")), #""method":"forced","params":{"version":"v4"}"#),
            (
                .error(.diskFailed, "a b"),
                #""method":"error","params":{"cause":"disk-failed","detail":"a b"}"#
            ),
            (
                .progress(unknown),
                #""method":"progress","params":{"version":"v2","files":2,"filesDone":1,"bytesDone":3}"#
            ),
        ]
        var outbox = NoticeOutbox()
        for (notice, _) in expected { outbox.add(notice) }
        let sent = outbox.send(to: page).map { String(decoding: BridgeJSON.notice($0), as: UTF8.self) }
        #expect(sent == expected.enumerated().map { #"{"event":\#($0 + 1),\#($1.1)}"# })
    }

    @Test("A document listens from its request until it is gone")
    func listens() {
        var outbox = NoticeOutbox()
        #expect(!outbox.isListening(page))
        outbox.addListener(page)
        outbox.addListener(next)
        outbox.addListener(page)
        #expect(outbox.isListening(page) && outbox.isListening(next))
        outbox.lost(page)
        #expect(!outbox.isListening(page) && outbox.isListening(next))
    }

    @Test("T2: a hundred wait, and with one more the oldest goes, also where a document gives its own back")
    func hundred() {
        var outbox = NoticeOutbox()
        for number in 1...100 { outbox.add(.forced(key("v\(number)"))) }
        #expect(outbox.items.map(\.id) == [UInt64](1...100))
        outbox.add(.forced(key("v101")))
        #expect(outbox.items.map(\.id) == [UInt64](2...101))
        _ = outbox.send(to: page)
        outbox.add(progress(1))
        outbox.add(.forced(key("v103")))
        outbox.lost(page)
        #expect(outbox.items.map(\.id) == [UInt64](4...103))
        outbox.remove(outbox.items.filter { $0.id > 5 })
        #expect(outbox.items.map(\.id) == [4, 5])
        outbox.lost(page)
        #expect(outbox.items.map(\.id) == [4, 5], "given back once")
    }

    @Test("Of progress that a document gives back and that came since, the newest stays")
    func progressGivenBack() {
        var outbox = NoticeOutbox()
        outbox.add(progress(1))
        _ = outbox.send(to: page)
        outbox.add(progress(2))
        outbox.lost(page)
        #expect(outbox.items.map(\.notice) == [progress(2)])
    }

    @Test(
        "T2: what was sent to a document that goes without a message is sent to the next one, with the same id"
    )
    func again() {
        var outbox = NoticeOutbox()
        outbox.add(.newVersionReady(key("v2")))
        let first = outbox.send(to: page)
        #expect(first.count == 1 && outbox.items.isEmpty)
        outbox.lost(page)
        #expect(outbox.send(to: next) == first)
    }

    @Test("T2: what a document has received is not sent again")
    func once() {
        var outbox = NoticeOutbox()
        outbox.add(.newVersionReady(key("v2")))
        _ = outbox.send(to: page)
        outbox.delivered(to: page)
        outbox.add(.newVersionReady(key("v3")))
        _ = outbox.send(to: page)
        outbox.lost(page)
        #expect(outbox.send(to: next).map(\.notice) == [.newVersionReady(key("v3"))])
    }

    @Test(
        "T2: a page that leaves at once is no reason to tell the next ones for ever: three documents get it")
    func bounded() {
        var outbox = NoticeOutbox()
        outbox.add(.newVersionReady(key("v2")))
        for number in 1...3 {
            #expect(outbox.send(to: PageLoadToken(UInt64(number))).count == 1)
            outbox.lost(PageLoadToken(UInt64(number)))
        }
        #expect(outbox.items.isEmpty)
    }

    @Test("T2: a message from another document confirms nothing for this one")
    func otherDocument() {
        var outbox = NoticeOutbox()
        outbox.add(.recalled(key("v2")))
        let sent = outbox.send(to: page)
        outbox.delivered(to: next)
        outbox.lost(page)
        #expect(outbox.items == sent)
    }
}
