import Core
import Testing

@testable import Updater

@Suite("R10: what a disk error says")
struct DiskErrorTests {
    private static let root = DiskPath(.data, "store")

    @Test("Only an absent file changes the record; room and permission matter to calls that write")
    func classes() {
        func errorClass(_ code: DiskError.Code, _ call: DiskCall) -> DiskErrorClass {
            DiskError(code, call, DiskErrorTests.root).errorClass
        }
        #expect(errorClass(.notFound, .open) == .absent)
        #expect(errorClass(.notADirectory, .status) == .absent)
        #expect(errorClass(.noSpace, .write) == .full)
        #expect(errorClass(.quota, .makeDirectory) == .full)
        #expect(errorClass(.noSpace, .read) == .transient)
        #expect(errorClass(.readOnly, .open) == .readOnly)
        #expect(errorClass(.readOnly, .status) == .transient)
        for code in [DiskError.Code.inputOutput, .denied, .tooManyOpen, .noMemory, .interrupted, .other] {
            for call in DiskCall.allCases { #expect(errorClass(code, call) == .transient) }
        }
    }

    @Test("The updater's own limit says that a file is too long; the system's says nothing about its length")
    func tooBig() {
        let path = DiskPath(.data, "store/record.a")
        #expect(DiskError(.tooBig, .read, path).isTooLong)
        #expect(!DiskError(.tooBig, .read).isTooLong)
        #expect(!DiskError(.tooBig, .write, path).isTooLong)
        #expect(DiskError(.tooBig, .read).errorClass == .transient)
        #expect(DiskError(.tooBig, .write).errorClass == .full)
    }

    @Test("In front a job is tried again for a second, in background with U5's delays")
    func tries() {
        var retry = DiskRetry()
        let job = UpdaterJob.openStore(StoreOpening())
        func delay(_ after: TimeSpan, inFront: Bool) -> TimeSpan? {
            retry.delay(job, at: .zero + after, inForeground: inFront, jitter: 250)
        }
        let first = delay(.zero, inFront: true)
        #expect(first == .milliseconds(100))
        #expect(retry.isWaiting && !retry.isVerification)
        let taken = retry.take()
        #expect(taken != nil && !retry.isWaiting)
        let last = delay(.milliseconds(999), inFront: true)
        #expect(last == .milliseconds(100))
        let end = delay(.seconds(1), inFront: true)
        #expect(end == nil)
        retry.succeeded()
        let delays = (0..<9).map { _ in delay(.zero, inFront: false) }
        #expect(delays.prefix(3) == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(delays.last == .minutes(15))
        // The app has come to the front: its second begins.
        let again = delay(.hours(1), inFront: true)
        #expect(again == .milliseconds(100))
    }

    @Test("The name of a blob's folder is durable for all blobs in it, and for no others")
    func folders() throws {
        let first = try #require(Digest256(hex: String(repeating: "0a", count: 32)))
        let second = try #require(Digest256(hex: "0a" + String(repeating: "ff", count: 31)))
        let other = try #require(Digest256(hex: String(repeating: "ff", count: 32)))
        var names = BlobNames()
        #expect(!names.isFolderDurable(of: first))
        names.folderBecameDurable(of: first)
        #expect(names.isFolderDurable(of: second) && !names.isFolderDurable(of: other))
        #expect(BlobNames.isSameFolder(first, second) && !BlobNames.isSameFolder(first, other))
        #expect(BlobNames.oneOfEach([first, second, other]) == [first, other])
    }

    @Test("Content that can't be read is damaged at ten launches, counted over processes")
    func unreadOften() throws {
        let digest = try #require(Digest256(hex: String(repeating: "0a", count: 32)))
        var file = StartsFile()
        for launch in 1..<UnreadContent.mostLaunches {
            let isLast = file.countUnread(digest, at: nil)
            #expect(!isLast)
            file = try #require(StartsFile.decode(file.bytes))
            #expect(file.unreadLaunches(of: digest) == launch)
        }
        let isLast = file.countUnread(digest, at: nil)
        #expect(isLast && file.unreadLaunches(of: digest) == 0)
        let isLastAgain = file.countUnread(digest, at: nil)
        #expect(!isLastAgain && file.hasUnread([digest]))
        file.forgetUnread([digest])
        #expect(!file.hasUnread([digest]))
    }

    @Test(
        "Content that can't be read is damaged at three launches over a day of origin time",
        arguments: [
            ([0, 3_600, 86_399], nil), ([0, 3_600, 86_400], 3), ([0, 86_400, 86_400], 3),
            ([nil, 0, 86_400], 3), ([nil, nil, 86_400, 172_799, 172_800], 5), ([0, nil, nil, 90_000], 4),
        ] as [([Int64?], Int?)])
    func unreadForADay(times: [Int64?], damagedAt: Int?) throws {
        let digest = try #require(Digest256(hex: String(repeating: "0b", count: 32)))
        var file = StartsFile()
        for (index, seconds) in times.enumerated() {
            let isDamaged = file.countUnread(digest, at: seconds.map { OriginTime(seconds: $0) })
            #expect(isDamaged == (index + 1 == damagedAt), "launch \(index + 1)")
            file = try #require(StartsFile.decode(file.bytes))
        }
    }

    @Test(
        "A count of launches that no updater writes makes the file count as absent",
        arguments: ["0", "10", "1@", "@1", "1@-1", "1@2@3", "1@99999999999999999999", "+1"])
    func unreadMalformed(text: String) throws {
        let digest = try #require(Digest256(hex: String(repeating: "0c", count: 32)))
        #expect(UnreadContent(digest: digest, text: Substring(text)) == nil)
        #expect(UnreadContent(digest: digest, text: "9@1763900000")?.text == "9@1763900000")
    }
}
