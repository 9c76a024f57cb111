import Core
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("A poller on a kqueue, over a double of it")
struct KqueueTests {
    private let queue = KqueueDouble()

    private func watch(_ descriptors: [Int32] = []) -> KqueueWatch<KqueueDouble> {
        for descriptor in descriptors { queue.sockets[descriptor] = KqueueDouble.Socket() }
        return KqueueWatch(queue)
    }

    private func filters(of descriptor: Int32) -> [KernelEvent.Filter] {
        queue.filters.filter { $0.ident == UInt(descriptor) }.map(\.filter)
    }

    /// Ready descriptors as `7 r`, `7 w`, `7 rw`.
    private func ready(_ watch: inout KqueueWatch<KqueueDouble>) throws -> [String] {
        try watch.wait(.zero).map { ready in
            "\(ready.descriptor) \(ready.canRead ? "r" : "")\(ready.canWrite ? "w" : "")"
        }
    }

    @Test("an interest becomes filters, in one call, and only what changes is changed")
    func interests() throws {
        var watch = watch([7])
        for (interest, expected, calls) in [
            (.reads, [.read], 1), ([.reads, .writes], [.read, .write], 2),
            ([.reads, .writes], [.read, .write], 2), (.writes, [.write], 3), (.reads, [.read], 4),
            ([], [], 5), ([], [], 5),
        ] as [(Poller.Interest, [KernelEvent.Filter], Int)] {
            try watch.watch(7, interest)
            #expect(filters(of: 7) == expected)
            #expect(queue.calls == calls)
            #expect(watch.count == 1)
        }
        #expect(queue.changes.allSatisfy { $0.flags.contains(.receipt) })
    }

    @Test("both filters of a descriptor are one ready descriptor")
    func both() throws {
        var watch = watch([7, 8])
        try watch.watch(7, [.reads, .writes])
        try watch.watch(8, .reads)
        #expect(try ready(&watch) == [])
        #expect(queue.endlessWaits == 0, "a time of zero does not wait")
        queue.sockets[7]?.space = 100
        queue.sockets[8]?.unread = 1
        #expect(try ready(&watch) == ["7 w", "8 r"])
        queue.sockets[7]?.unread = 5
        #expect(try ready(&watch) == ["7 rw", "8 r"])
        queue.sockets[7]?.space = 0
        #expect(try ready(&watch) == ["7 r", "8 r"])
    }

    @Test("a half-close can be read, again and again, and says nothing about writing")
    func halfClose() throws {
        var watch = watch([7])
        try watch.watch(7, [.reads, .writes])
        queue.sockets[7]?.hasPeerFinished = true
        #expect(try ready(&watch) == ["7 r"])
        #expect(try ready(&watch) == ["7 r"])
        queue.sockets[7]?.space = 10
        #expect(try ready(&watch) == ["7 rw"])
        try watch.watch(7, .writes)
        #expect(try ready(&watch) == ["7 w"], "who has read the end is not woken by it any more")
    }

    @Test("an end with data that is left can be read, and is not taken for a failure")
    func endWithData() throws {
        var watch = watch([7])
        try watch.watch(7, [.reads, .writes])
        queue.sockets[7]?.unread = 40
        queue.sockets[7]?.hasPeerFinished = true
        #expect(try ready(&watch) == ["7 r"])
        queue.sockets[7]?.unread = 0
        #expect(try ready(&watch) == ["7 r"], "the end itself")
    }

    @Test("a failed socket can be read and written, whichever filter it has")
    func failure() throws {
        for interest in [.reads, .writes, [.reads, .writes]] as [Poller.Interest] {
            var watch = watch([7])
            try watch.watch(7, interest)
            queue.sockets[7]?.errorNumber = ECONNRESET
            queue.sockets[7]?.hasPeerFinished = true
            queue.sockets[7]?.isShutForWriting = true
            #expect(try ready(&watch) == ["7 rw"])
            watch.forget(7)
        }
    }

    @Test("a change that the kernel refuses is thrown, and is no interest; the other filter is changed")
    func refusal() throws {
        var watch = watch([7])
        queue.refusals[.init(ident: 7, filter: .read)] = ENOMEM
        do {
            try watch.watch(7, [.reads, .writes])
            Issue.record("no error")
        } catch { #expect(error.errorNumber == ENOMEM) }
        #expect(filters(of: 7) == [.write])
        queue.refusals = [:]
        try watch.watch(7, [.reads, .writes])
        #expect(Set(filters(of: 7)) == [.read, .write])

        // One that is not there can't be watched, and is not counted.
        do {
            try watch.watch(9, .reads)
            Issue.record("no error")
        } catch { #expect(error.errorNumber == EBADF) }
        #expect(throws: SystemError.self) { try watch.watch(-1, .reads) }
        #expect(watch.count == 1)
    }

    @Test("a filter that is not there any more need not be deleted")
    func deletion() throws {
        var watch = watch([7])
        try watch.watch(7, [.reads, .writes])
        // Closed without a word, and the number given to another socket.
        queue.close(7)
        queue.sockets[7] = KqueueDouble.Socket()
        try watch.watch(7, .writes)
        #expect(queue.changes == [.change(7, .read, isAdded: false)])
        try watch.watch(7, [])
        #expect(watch.count == 1)
        try watch.watch(7, .reads)
        #expect(filters(of: 7) == [.read])

        queue.close(7)
        watch.forget(7)
        #expect(watch.count == 0)
        let calls = queue.calls
        watch.forget(7)
        #expect(queue.calls == calls, "what is not watched needs no call")
    }

    @Test("forgetting deletes both filters")
    func forgotten() throws {
        var watch = watch([7, 8])
        try watch.watch(7, [.reads, .writes])
        try watch.watch(8, .writes)
        queue.refusals[.init(ident: 7, filter: .read)] = EBADF
        watch.forget(7)
        #expect(filters(of: 7) == [.read], "a refused deletion does not keep the other one")
        #expect(filters(of: 8) == [.write])
        #expect(watch.count == 1)
    }

    @Test("a limit is a timer that fires once; a wait without one deletes what is left of it")
    func limits() throws {
        var watch = watch([7])
        try watch.watch(7, .reads)
        #expect(try watch.wait(.milliseconds(30)).isEmpty)
        #expect(queue.changes.map(\.flags) == [[.add, .once]])
        // NOTE_USECONDS, NOTE_MACH_CONTINUOUS_TIME
        #expect(queue.changes.map(\.filterFlags) == [0x82])
        #expect(queue.changes.map(\.data) == [30_000])
        #expect(queue.timer == nil)
        #expect(try watch.wait(nil).isEmpty)
        #expect(queue.changes.isEmpty, "it has fired, and there is nothing to delete")
        #expect(queue.endlessWaits == 1)

        queue.sockets[7]?.unread = 1
        #expect(try watch.wait(.seconds(5)).count == 1)
        #expect(queue.timer == 5_000_000)
        #expect(try watch.wait(.zero).count == 1)
        #expect(queue.changes.isEmpty, "what does not wait has no limit")
        #expect(try watch.wait(nil).count == 1)
        #expect(queue.changes.map(\.flags) == [.delete])
        #expect(queue.timer == nil)
    }

    @Test("a timer that can't be set is an error, one that can't be deleted is not; a signal ends the wait")
    func alarmFailures() throws {
        var watch = watch([7])
        try watch.watch(7, .reads)
        queue.refusals[.init(ident: 0, filter: .timer)] = ENOMEM
        do {
            _ = try watch.wait(.seconds(1))
            Issue.record("no error")
        } catch { #expect(error.errorNumber == ENOMEM) }
        queue.refusals = [:]
        queue.sockets[7]?.unread = 1
        #expect(try watch.wait(.seconds(1)).count == 1)
        queue.refusals[.init(ident: 0, filter: .timer)] = ENOENT
        #expect(try watch.wait(nil).count == 1)
        queue.refusals = [:]
        queue.sockets[7]?.unread = 0
        queue.isInterrupted = true
        #expect(try watch.wait(.seconds(1)).isEmpty)
        #expect(queue.timer == 1_000_000, "the change was applied before the signal came")
    }

    @Test("it ends with its poller, and a poller can watch it")
    func end() {
        let watch = watch()
        #expect(watch.descriptor == queue.descriptor)
        watch.end()
        #expect(queue.isEnded)
    }
}
