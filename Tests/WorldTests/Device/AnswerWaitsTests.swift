import AppHost
import Backend
import Core
import LocalServer
import Testing
import Updater

@testable import World

@Suite("What the update does while something waits for the app")
struct AnswerWaitsTests {
    private let page = ConnectionID(1)

    private func request(_ id: ConnectionID) -> AppInput { .connection(id, .received([1])) }

    @Test("A request waits from its arrival to its answer, and counts what the update does in between")
    func requests() {
        var waits = AnswerWaits()
        waits.stepped(StepCounts())
        #expect(waits.isEmpty)
        waits.arrived(request(page), isInInbox: false)
        waits.stepped(StepCounts())
        // The rest of the same request.
        waits.arrived(request(page), isInInbox: true)
        waits.submittedSync()
        let delay = waits.answered(page)
        #expect(delay?.steps == 1)
        #expect(delay?.syncs == 1)
        #expect(waits.isEmpty)
        #expect(waits.answered(page) == nil)
    }

    @Test("Another input waits only in the inbox, and parts of responses are not waited for")
    func inputs() {
        var waits = AnswerWaits()
        waits.arrived(.foreground, isInInbox: false)
        waits.arrived(.transfer(TransferID(1), .end), isInInbox: true)
        #expect(waits.isEmpty)
        waits.arrived(.user(.retry), isInInbox: true)
        waits.arrived(.foreground, isInInbox: true)
        waits.stepped(StepCounts())
        #expect(waits.handled(.user(.retry), wasInInbox: true)?.steps == 1)
        waits.stepped(StepCounts())
        #expect(waits.handled(.foreground, wasInInbox: true)?.steps == 2)
        #expect(waits.isEmpty)
    }

    @Test(
        "The update's work is what it does in the store but for the record, and reading versions",
        arguments: [
            (DiskCall.read, "store/partial/ab", true), (.status, "store/partial/ab", true),
            (.rename, "store/partial/ab", true), (.syncDirectory, "store/partial", true),
            (.write, "store/tables/ab", true), (.read, "store/tables/ab", false),
            (.list, "store/blobs/ab", true), (.status, "store/blobs/ab/abcd", false),
            (.makeDirectory, "store/blobs/ab", true), (.remove, "store/blobs/ab/abcd", true),
            (.sync, "store/record.a", false), (.write, "store/starts", false),
            (.status, "store/partial", false), (.makeDirectory, "store/blobs", false),
            (.write, "store/partialx", false),
        ])
    func paths(_ call: DiskCall, _ path: String, _ isOfUpdate: Bool) {
        #expect(AnswerWaits.isOfUpdate(call, DiskPath(.data, path)) == isOfUpdate)
        #expect(!AnswerWaits.isOfUpdate(call, DiskPath(.package, path)))
    }
}
