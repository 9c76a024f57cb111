import Core
import Foundation
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("The system calls of a disk")
struct SystemCallsTests {
    @Test(
        "Each error has its code",
        arguments: [
            (ENOENT, DiskError.Code.notFound), (EEXIST, .exists), (ENOTDIR, .notADirectory),
            (EISDIR, .isADirectory), (ENOTEMPTY, .notEmpty), (ENOSPC, .noSpace), (EDQUOT, .quota),
            (EIO, .inputOutput), (EACCES, .denied), (EPERM, .denied), (EROFS, .readOnly),
            (EXDEV, .crossDevice), (EMFILE, .tooManyOpen), (ENFILE, .tooManyOpen),
            (ENAMETOOLONG, .nameTooLong), (EINTR, .interrupted), (EAGAIN, .locked), (EBADF, .badHandle),
            (EINVAL, .invalid), (EILSEQ, .invalid), (ENOMEM, .noMemory), (EFBIG, .tooBig),
            (ELOOP, .other), (ENODEV, .other), (0, .other),
        ])
    func codes(number: Int32, code: DiskError.Code) {
        #expect(SystemError(errorNumber: number).code == code)
    }

    @Test("Every code but `other` is an error of the system")
    func allCodes() {
        let codes = Set((1..<Int32(200)).map { SystemError(errorNumber: $0).code })
        #expect(codes == Set(DiskError.Code.allCases))
    }

    @Test("A call that a signal interrupts is repeated; another failure is thrown")
    func interrupted() throws {
        var calls = 0
        let number = try SystemCalls.answer { () -> Int32 in
            calls += 1
            errno = EINTR
            return calls < 4 ? -1 : 0
        }
        #expect(number == 0 && calls == 4)
        calls = 0
        do throws(SystemError) {
            _ = try SystemCalls.answer { () -> Int in
                calls += 1
                errno = calls < 2 ? EINTR : EIO
                return -1
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.errorNumber == EIO && calls == 2)
        }
    }

    @Test("A second descriptor of a file is not inherited; what is not open can be neither copied nor closed")
    func descriptors() throws {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let copy = try SystemCalls.duplicate(descriptor)
        #expect(copy != descriptor && fcntl(copy, F_GETFD) & FD_CLOEXEC != 0)
        try SystemCalls.closeFile(copy)
        try SystemCalls.closeFile(descriptor)
        #expect(throws: SystemError.self) { try SystemCalls.closeFile(-1) }
        SystemCalls.closeQuietly(-1)
        #expect(throws: SystemError.self) { try SystemCalls.duplicate(-1) }
    }

    @Test("The names in a directory; one that is no text can't be named; what is no directory is closed")
    func names() throws {
        let folder = try SyncFolder(["b", "a", "...", "..c"])
        let data = folder.url.appendingPathComponent("data").path
        func names() throws -> [String] { try SystemCalls.names(in: try SystemCalls.openRoot(data)).sorted() }
        #expect(try names() == ["...", "..c", "a", "b"])
        #expect(try SystemCalls.names(in: try SystemCalls.openRoot(data + "/a")) == [])
        let file = open(data + "/file", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        do throws(SystemError) {
            _ = try SystemCalls.names(in: file)
            Issue.record("a file has no names")
        } catch {
            #expect(error.errorNumber == ENOTDIR)
        }
        #if os(Linux)
            // The two volumes alone are open.
            #expect(try OpenDescriptors.count(folder.url) == 2)
            let root = try SystemCalls.openRoot(data)
            defer { SystemCalls.closeQuietly(root) }
            // A file system may refuse such a name.
            let name: [UInt8] = [0x78, 0xff, 0]
            func named(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
                name.withUnsafeBytes { $0.bindMemory(to: CChar.self).baseAddress.map(body) ?? -1 }
            }
            guard named({ mkdirat(root, $0, 0o700) }) == 0 else { return }
            defer { _ = named { unlinkat(root, $0, AT_REMOVEDIR) } }
            #expect(throws: DiskError(.invalid, .list, DiskPath(.data, ""))) {
                try folder.disk.list(DiskPath(.data, ""))
            }
            #expect(try OpenDescriptors.count(folder.url) == 3)
        #endif
    }

    @Test("New files and directories belong to the app alone")
    func modes() throws {
        let folder = try SyncFolder(["d"])
        try folder.disk.close(folder.disk.open(DiskPath(.data, "f"), .create))
        try folder.disk.close(folder.disk.lock(DiskPath(.data, "l")))
        for (name, mode) in [("d", 0o700), ("f", 0o600), ("l", 0o600)] {
            let path = folder.url.appendingPathComponent("data/\(name)").path
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(name)")
        }
    }
}
