import Core
import Testing
import World

@testable import Updater

@Suite("The course of launches on a store that is not as it should be")
struct OpeningCourseTests {
    /// The slot with the newest record, and the other one.
    private func slots(_ device: Harness) -> (newer: DiskPath, older: DiskPath) {
        let older = device.updater.slots.older
        return (older == StorePaths.recordA ? StorePaths.recordB : StorePaths.recordA, older)
    }

    private func expect(_ device: inout Harness, _ name: String) {
        let course = device.takeCourse()
        #expect(course == Self.courses[name], "\(name)")
    }

    private func launch(_ device: inout Harness, _ name: String) throws {
        device.effects = []
        try device.launch()
        device.wait(.seconds(2))
        expect(&device, name)
    }

    @Test("R8, N2: records that are damaged, gone, of a newer format, or can't be read")
    func records() throws {
        var newest = try Harness.stoppedWithPending()
        try newest.disk.place(slots(newest).newer, [1])
        try launch(&newest, "newest")
        var older = try Harness.stoppedWithPending()
        try older.disk.place(slots(older).older, [1])
        try launch(&older, "older slot")
        var both = try Harness.stoppedWithPending()
        for slot in [StorePaths.recordA, StorePaths.recordB] { try both.disk.place(slot, [1]) }
        try launch(&both, "both")
        var gone = try Harness.stoppedWithPending()
        for slot in [StorePaths.recordA, StorePaths.recordB] { try gone.disk.remove(slot) }
        try launch(&gone, "gone")
        for (name, generation) in [("newer", 900), ("newerButBehind", 1)] {
            var newer = try Harness.stoppedWithPending()
            try newer.disk.place(slots(newer).older, Array("otalab-record-2 \(generation) x\n".utf8))
            try launch(&newer, name)
            #expect(newer.updater.record.keepsNewerFormat)
        }
        var unread = try Harness.stoppedWithPending()
        let generation = unread.updater.durable.generation
        unread.disk.add(DiskFault(.read, .inputOutput, times: nil, path: slots(unread).newer))
        try launch(&unread, "unreadSlot")
        #expect(unread.updater.record.generation > generation + 1_000_000)
        var denied = try Harness.stoppedWithPending()
        denied.disk.add(DiskFault(.read, .denied, times: nil, path: slots(denied).newer))
        try launch(&denied, "deniedSlot")
    }

    @Test("R10: tables that are damaged, gone, or can't be read")
    func tables() throws {
        func table(_ device: Harness, _ id: String) throws -> DiskPath {
            StorePaths.table(try #require(device.updater.record.versions.first { $0.key.id == id }).key)
        }
        var damaged = try Harness.stoppedWithPending()
        try damaged.disk.place(try table(damaged, "v3"), [1])
        try launch(&damaged, "tableDamaged")
        var other = try Harness.stoppedWithPending()
        let bytes = other.bytes(of: try table(other, "v2"))
        try other.disk.place(try table(other, "v3"), bytes)
        try launch(&other, "tableOfAnother")
        var gone = try Harness.stoppedWithPending()
        try gone.disk.remove(try table(gone, "v2"))
        try launch(&gone, "tableGone")
        for code in [DiskError.Code.inputOutput, .denied] {
            var unread = try Harness.stoppedWithPending()
            unread.disk.add(DiskFault(.read, code, times: nil, path: try table(unread, "v3")))
            try launch(&unread, "tableUnread \(code)")
            unread.kill()
            unread.disk.removeFaults()
            try launch(&unread, "tableReadAgain \(code)")
        }
    }

    @Test("R1: the app package's manifest is damaged, gone, or can't be read")
    func package() throws {
        let manifest = DiskPath(.package, "web/manifest.json")
        for (name, files) in [
            ("packageDamaged", [(path: "web/manifest.json", bytes: [UInt8]([1]))]), ("packageGone", []),
        ] {
            var device = try Harness.stoppedWithPending()
            try device.disk.mountPackage(files: files)
            try launch(&device, name)
        }
        var unread = try Harness.stoppedWithPending()
        unread.disk.add(DiskFault(.read, .inputOutput, times: nil, path: manifest))
        try launch(&unread, "packageUnread")
        unread.kill()
        unread.native = "1.1"
        try launch(&unread, "packageUnreadInNewBuild")
        unread.disk.removeFaults()
        unread.wait(.minutes(1))
        expect(&unread, "packageReadAgain")
    }

    @Test("R1, R2: a store that is in use, can't be written, or that the disk refuses for a moment")
    func access() throws {
        var used = try Harness.stoppedWithPending()
        try used.launch()
        try launch(&used, "inUse")
        var readOnly = try Harness.stoppedWithPending()
        readOnly.disk.makeReadOnly(true)
        readOnly.disk.add(DiskFault(.syncDirectory, .readOnly, times: nil))
        try launch(&readOnly, "readOnly")
        var moment = try Harness.stoppedWithPending()
        moment.disk.add(DiskFault(.status, .interrupted, times: 4))
        try launch(&moment, "moment")
        var syncs = try Harness.stoppedWithPending()
        syncs.disk.add(DiskFault(.sync, .inputOutput))
        try launch(&syncs, "syncFailed")
        var background = try Harness.stoppedWithPending()
        background.disk.add(DiskFault(.status, .denied, times: nil))
        background.effects = []
        try background.launch(inForeground: false)
        background.wait(.seconds(10))
        background.disk.removeFaults()
        background.send(.foreground)
        expect(&background, "background")
    }
}

extension OpeningCourseTests {
    fileprivate static let courses: [String: String] = [
        "newest": """
        log record-fell-back generation=8
        log launched native=1.0 front=true boot=boot-1
        current v2
        ready
        """,
        "older slot": """
        log record-fell-back generation=9
        log launched native=1.0 front=true boot=boot-1
        current v3
        ready
        """,
        "both": """
        log record-lost
        log launched native=1.0 front=true boot=boot-1
        current v1
        ready
        """,
        "gone": """
        log launched native=1.0 front=true boot=boot-1
        current v1
        ready
        """,
        "unreadSlot": """
        log store-unavailable EIO in read, tried again
        10 times: timer disk 100 ms; no timer disk
        log store-unavailable EIO in read
        log record-fell-back generation=8
        log launched native=1.0 front=true boot=boot-1
        current v2
        ready
        """,
        "deniedSlot": """
        log store-unavailable EACCES in read, tried again
        10 times: timer disk 100 ms; no timer disk
        log store-unavailable EACCES in read
        log record-fell-back generation=8
        log launched native=1.0 front=true boot=boot-1
        current v2
        ready
        """,
        "tableDamaged": """
        log content-damaged v3 table does not read
        log launched native=1.0 front=true boot=boot-1
        timer collectGarbage 60000 ms
        current v2
        ready
        """,
        "tableOfAnother": """
        log content-damaged v3 table does not read
        log launched native=1.0 front=true boot=boot-1
        timer collectGarbage 60000 ms
        current v2
        ready
        """,
        "tableGone": """
        log content-damaged v2 table: ENOENT in open of \
        data:store/tables/09a6179a85b9cb5dcb70bf09724d2ea81bc90772f0075f541785015760e23d05
        log launched native=1.0 front=true boot=boot-1
        timer collectGarbage 60000 ms
        current v3
        ready
        """,
        "tableUnread inputOutput": """
        log store-unavailable EIO in read, tried again
        10 times: timer disk 100 ms; no timer disk
        log store-unavailable EIO in read
        log read-failed v3 table: EIO in read
        log launched native=1.0 front=true boot=boot-1
        current v2
        ready
        """,
        "tableUnread denied": """
        log store-unavailable EACCES in read, tried again
        10 times: timer disk 100 ms; no timer disk
        log store-unavailable EACCES in read
        log read-failed v3 table: EACCES in read
        log launched native=1.0 front=true boot=boot-1
        current v2
        ready
        """,
        "tableReadAgain inputOutput": """
        log launched native=1.0 front=true boot=boot-1
        current v3
        ready
        """,
        "tableReadAgain denied": """
        log launched native=1.0 front=true boot=boot-1
        current v3
        ready
        """,
        "packageUnread": """
        log store-unavailable EIO in read, tried again
        10 times: timer disk 100 ms; no timer disk
        log store-unavailable EIO in read
        log launched native=1.0 front=true boot=boot-1
        current v3
        ready
        """,
        "packageUnreadInNewBuild": """
        log store-unavailable EIO in read, tried again
        10 times: timer disk 100 ms; no timer disk
        log store-unavailable EIO in read
        screen loading
        timer disk 1028 ms
        """,
        "packageReadAgain": """
        no timer disk
        log launched native=1.1 front=true boot=boot-1
        log store-update v1 from=1.0 to=1.1
        log former-build-dropped v2
        log former-build-dropped v3
        current v1
        ready
        """,
        "inUse": """
        log store-in-use EAGAIN in lock of data:store/LOCK
        log launched native=1.0 front=true boot=boot-1
        current v1
        ready
        """,
        "readOnly": """
        log store-unavailable EROFS in lock of data:store/LOCK
        log launched native=1.0 front=true boot=boot-1
        current v2
        ready
        """,
        "moment": """
        log store-unavailable EINTR in status of data:store, tried again
        4 times: timer disk 100 ms; no timer disk
        log launched native=1.0 front=true boot=boot-1
        current v3
        ready
        """,
        "syncFailed": """
        log store-unavailable EIO in sync
        log launched native=1.0 front=true boot=boot-1
        current v2
        ready
        """,
        "background": """
        log store-unavailable EACCES in status of data:store, tried again
        timer disk 1229 ms
        no timer disk
        timer disk 2458 ms
        no timer disk
        timer disk 4916 ms
        no timer disk
        timer disk 9832 ms
        no timer disk
        log launched native=1.0 front=false boot=boot-1
        current v3
        ready
        """,
        "newer": """
        log record-newer-format generation=900
        log launched native=1.0 front=true boot=boot-1
        current v1
        ready
        """,
        "newerButBehind": """
        log launched native=1.0 front=true boot=boot-1
        current v3
        ready
        """,
        "packageDamaged": """
        log manifest-unreadable embedded manifest: byte=0 a control character (U+0001)
        notice error manifest-unreadable embedded manifest: byte=0 a control character (U+0001)
        log launched native=1.0 front=true boot=boot-1
        log store-update from=1.0 to=1.0
        log former-build-dropped v2
        log former-build-dropped v3
        screen offline
        """,
        "packageGone": """
        log store-unavailable ENOENT in open of package:web/manifest.json
        log launched native=1.0 front=true boot=boot-1
        current v3
        ready
        """,
    ]
}
