import Backend
import Core
import World

extension RecordedDisk {
    /// The calls that are recorded. Others change no file, or are said in ``notFollowed`` by what shows them.
    static let calls = [
        "open", "openat", "creat", "close", "dup", "dup2", "dup3", "fcntl", "clone", "clone3", "fork",
        "vfork",
        "chdir", "fchdir", "read", "readv", "lseek", "write", "pwrite64", "writev", "pwritev", "pwritev2",
        "ftruncate", "truncate", "fallocate", "rename", "renameat", "renameat2", "unlink", "unlinkat",
        "rmdir",
        "mkdir", "mkdirat", "symlink", "symlinkat", "link", "linkat", "fsync", "fdatasync", "sync", "syncfs",
        "sendfile", "copy_file_range", "splice", "mmap", "io_uring_enter", "io_submit",
    ]

    /// Applies a call that has ended.
    /// - Returns: what it changed, in words; nil: nothing.
    mutating func apply(_ call: SystemCall) throws(ReplayFault) -> String? {
        if RecordedDisk.isSync(call) { return try endSync(call) }
        if call.hasFailed { return nil }
        do throws(DiskError) {
            return try perform(call)
        } catch {
            throw ReplayFault(message: "\(call.name): \(error)")
        }
    }

    private mutating func perform(_ call: SystemCall) throws(DiskError) -> String? {
        let process = process(of: call.thread)
        switch call.name {
        case "open": return try open(call, process, flags: 1)
        case "openat": return try open(call, process, flags: 2)
        case "creat": return try open(call, process, flags: nil)
        case "close", "dup", "dup2", "dup3", "fcntl": return try changeDescriptors(call, process)
        case "clone", "clone3", "fork", "vfork": return addProcess(call, process)
        case "chdir":
            process.folder = absolute(call.text(0), in: process.folder)
            return nil
        case "fchdir":
            process.folder = call.path(0).map { String(decoding: $0, as: UTF8.self) } ?? process.folder
            return nil
        case "read", "readv", "lseek": return move(call, process)
        case "write", "pwrite64", "writev", "pwritev", "pwritev2": return try write(call, process)
        case "ftruncate", "truncate", "fallocate": return try resize(call, process)
        case "sync", "syncfs":
            disk.flush()
            return call.name
        case "sendfile", "copy_file_range", "splice": return try copy(call, process)
        case "mmap":
            let isShared = call.has("MAP_SHARED", in: 3) || call.has("MAP_SHARED_VALIDATE", in: 3)
            if isShared, call.has("PROT_WRITE", in: 2), file(call, 4, process) != nil {
                note("writes through a shared memory map")
            }
            return nil
        case "io_uring_enter", "io_submit":
            note("asynchronous writes (\(call.name))")
            return nil
        default: return try changeNames(call, process)
        }
    }

    private func file(_ call: SystemCall, _ index: Int, _ process: RecordedProcess) -> OpenDescription? {
        guard let open = call.number(index).flatMap({ process.descriptors[$0] }), open.handle != nil else {
            return nil
        }
        return open
    }

    private func absolute(_ path: [UInt8]?, in folder: String) -> String {
        let text = String(decoding: path ?? [], as: UTF8.self)
        return text.hasPrefix("/") ? text : folder + "/" + text
    }

    // MARK: - Descriptors

    private mutating func open(_ call: SystemCall, _ process: RecordedProcess, flags: Int?)
        throws(DiskError) -> String?
    {
        guard let number = call.result else { return try openInterrupted(call, process, flags: flags) }
        guard let resolved = call.resultPath else { return nil }
        let path = String(decoding: resolved, as: UTF8.self)
        func has(_ flag: String) -> Bool { flags.map { call.has(flag, in: $0) } ?? false }
        guard let inside = relative(resolved) else {
            return try bind(OpenDescription(.outside(path), path: path), number, process)
        }
        if has("O_TMPFILE") {
            note("files without a name (O_TMPFILE)")
            return nil
        }
        let target = DiskPath(.data, inside)
        if inside.isEmpty || (try? disk.status(target).kind) == .directory {
            return try bind(OpenDescription(.folder, path: path), number, process)
        }
        let writes = flags == nil || has("O_WRONLY") || has("O_RDWR")
        var change: String?
        let handle: Core.FileHandle
        if disk.content(of: target) == nil {
            handle = try disk.open(target, .create)
            change = "create '\(inside)'"
        } else {
            handle = try disk.open(target, writes ? .update : .read)
            if writes, flags == nil || has("O_TRUNC"), try disk.size(handle) > 0 {
                try disk.truncate(handle, to: 0)
                change = "empty '\(inside)'"
            }
        }
        _ = try bind(OpenDescription(.file(handle), path: path, appends: has("O_APPEND")), number, process)
        return change
    }

    /// The process ended in the call: no process has the descriptor, but the file may be new, or empty.
    private mutating func openInterrupted(_ call: SystemCall, _ process: RecordedProcess, flags: Int?)
        throws(DiskError) -> String?
    {
        let isAt = call.name == "openat"
        let folder = isAt ? call.path(0).map { String(decoding: $0, as: UTF8.self) } : nil
        guard let path = resolve(call.text(isAt ? 1 : 0), in: folder ?? process.folder, followsLast: true)
        else { return nil }
        func has(_ flag: String) -> Bool { flags.map { call.has(flag, in: $0) } ?? true }
        let target = DiskPath(.data, path)
        guard disk.content(of: target) == nil ? has("O_CREAT") : has("O_TRUNC") else { return nil }
        let isNew = disk.content(of: target) == nil
        let handle = try disk.open(target, isNew ? .create : .update)
        if !isNew { try disk.truncate(handle, to: 0) }
        try disk.close(handle)
        return "\(isNew ? "create" : "empty") '\(path)'"
    }

    /// - Returns: nil: it changes no file.
    private mutating func bind(_ open: OpenDescription, _ number: Int64, _ process: RecordedProcess)
        throws(DiskError) -> String?
    {
        try drop(number, process)
        open.references += 1
        process.descriptors[number] = open
        return nil
    }

    private mutating func drop(_ number: Int64, _ process: RecordedProcess) throws(DiskError) {
        guard let old = process.descriptors.removeValue(forKey: number) else { return }
        old.references -= 1
        if old.references == 0, let handle = old.handle { try disk.close(handle) }
    }

    private mutating func changeDescriptors(_ call: SystemCall, _ process: RecordedProcess)
        throws(DiskError) -> String?
    {
        guard let number = call.number(0) else { return nil }
        if call.name == "close" {
            try drop(number, process)
            return nil
        }
        if call.name == "fcntl", !call.word(1).hasPrefix("F_DUPFD") { return nil }
        guard let copy = call.result, copy != number else { return nil }
        try drop(copy, process)
        guard let open = process.descriptors[number] else { return nil }
        return try bind(open, copy, process)
    }

    private mutating func addProcess(_ call: SystemCall, _ process: RecordedProcess) -> String? {
        guard let child = call.result.map({ Int($0) }), child > 0 else { return nil }
        let isThread = call.arguments.contains { $0.mentions("CLONE_FILES") }
        begin(thread: child) { isThread ? process : process.child() }
        return nil
    }

    private func move(_ call: SystemCall, _ process: RecordedProcess) -> String? {
        guard let open = call.number(0).flatMap({ process.descriptors[$0] }), let result = call.result else {
            return nil
        }
        open.offset = call.name == "lseek" ? result : open.offset + result
        return nil
    }

    // MARK: - Contents

    private mutating func write(_ call: SystemCall, _ process: RecordedProcess) throws(DiskError) -> String? {
        guard let open = file(call, 0, process), call.arguments.count > 1 else { return nil }
        var bytes: [UInt8] = []
        var isWhole = true
        func collect(_ argument: SystemCall.Argument) {
            switch argument {
            case .text(let text, let whole):
                bytes += text
                isWhole = isWhole && whole
            case .list(let parts): parts.forEach(collect)
            case .structure(let fields): for field in fields { collect(field.value) }
            case .word: break
            }
        }
        collect(call.arguments[1])
        let count = call.result ?? Int64(bytes.count)
        if !isWhole || bytes.count < Int(count) {
            note("writes of more than \(CallRecorder.largestWrite >> 20) MiB at once")
            return nil
        }
        let stated: Int64? = call.name.hasPrefix("pwrite") ? call.number(3) : nil
        return try write(bytes.prefix(Int(count)), to: open, at: stated)
    }

    /// - Parameter offset: nil: where the descriptor is, which moves on.
    private mutating func write(_ bytes: ArraySlice<UInt8>, to open: OpenDescription, at offset: Int64?)
        throws(DiskError) -> String?
    {
        guard let handle = open.handle, !bytes.isEmpty else { return nil }
        let start = try open.appends ? disk.size(handle) : Int(offset ?? open.offset)
        var written = 0
        while written < bytes.count {
            written += try disk.write(handle, bytes.dropFirst(written), at: start + written)
        }
        if offset == nil { open.offset = Int64(start + written) }
        let name = relative(Array(open.path.utf8)) ?? open.path
        return "write '\(name)', \(bytes.count) bytes at \(start)"
    }

    private mutating func resize(_ call: SystemCall, _ process: RecordedProcess) throws(DiskError) -> String?
    {
        if call.name == "truncate" {
            guard let path = resolve(call.text(0), in: process.folder, followsLast: true) else { return nil }
            let handle = try disk.open(DiskPath(.data, path), .update)
            try disk.truncate(handle, to: Int(call.number(1) ?? 0))
            try disk.close(handle)
            return "truncate '\(path)'"
        }
        guard let open = file(call, 0, process), let handle = open.handle else { return nil }
        let name = relative(Array(open.path.utf8)) ?? open.path
        if call.name == "ftruncate" {
            try disk.truncate(handle, to: Int(call.number(1) ?? 0))
            return "truncate '\(name)' to \(call.number(1) ?? 0) bytes"
        }
        guard call.word(1) == "0" else {
            if !call.has("FALLOC_FL_KEEP_SIZE", in: 1) { note("fallocate with \(call.word(1))") }
            return nil
        }
        let end = Int((call.number(2) ?? 0) + (call.number(3) ?? 0))
        guard end > (try disk.size(handle)) else { return nil }
        try disk.truncate(handle, to: end)
        return "allocate '\(name)' to \(end) bytes"
    }

    /// Bytes that the kernel copies from one file to another: no argument has them.
    private mutating func copy(_ call: SystemCall, _ process: RecordedProcess) throws(DiskError) -> String? {
        let isSendfile = call.name == "sendfile"
        guard let target = file(call, isSendfile ? 0 : 2, process) else { return nil }
        guard let source = call.number(isSendfile ? 1 : 0).flatMap({ process.descriptors[$0] }),
            let count = call.result
        else {
            note("copies by \(call.name) from what is no file, or that the process's end interrupts")
            return nil
        }
        let stated = call.pointedNumber(isSendfile ? 2 : 1)
        let start = stated ?? source.offset
        let bytes: [UInt8]
        switch source.kind {
        case .file(let handle): bytes = try disk.read(handle, at: Int(start), count: Int(count))
        case .outside(let path):
            guard let whole = content(outside: path) else {
                note("copies by \(call.name) from outside of state folder and app package")
                return nil
            }
            bytes = Array(whole.dropFirst(Int(start)).prefix(Int(count)))
        case .folder: return nil
        }
        if stated == nil { source.offset += count }
        return try write(bytes[...], to: target, at: isSendfile ? nil : call.pointedNumber(3))
    }

    // MARK: - Names

    private mutating func changeNames(_ call: SystemCall, _ process: RecordedProcess) throws(DiskError)
        -> String?
    {
        /// The path in the arguments, from that of its folder on.
        func path(_ index: Int, isAt: Bool) -> DiskPath? {
            let folder =
                isAt
                ? call.path(index).map { String(decoding: $0, as: UTF8.self) } ?? process.folder
                : process.folder
            return resolve(call.text(isAt ? index + 1 : index), in: folder).map { DiskPath(.data, $0) }
        }
        switch call.name {
        case "rename": return try rename(path(0, isAt: false), path(1, isAt: false))
        case "renameat": return try rename(path(0, isAt: true), path(2, isAt: true))
        case "renameat2":
            if call.has("RENAME_EXCHANGE", in: 4) { note("an exchange of two names (renameat2)") }
            return try rename(path(0, isAt: true), path(2, isAt: true))
        case "unlink": return try remove(path(0, isAt: false), isFolder: false)
        case "unlinkat": return try remove(path(0, isAt: true), isFolder: call.has("AT_REMOVEDIR", in: 2))
        case "rmdir": return try remove(path(0, isAt: false), isFolder: true)
        case "mkdir", "mkdirat":
            guard let path = path(0, isAt: call.name == "mkdirat"), !path.text.isEmpty else { return nil }
            try disk.makeDirectory(path)
            return "make folder '\(path.text)'"
        case "symlink", "symlinkat":
            guard let path = path(1, isAt: call.name == "symlinkat") else { return nil }
            let handle = try disk.open(path, .create)
            let content = RecordedLink.content(call.text(0) ?? [])
            _ = try disk.write(handle, content[...], at: 0)
            try disk.sync(handle)
            try disk.close(handle)
            return "link '\(path.text)' to '\(String(decoding: call.text(0) ?? [], as: UTF8.self))'"
        case "link", "linkat":
            if path(call.name == "link" ? 1 : 2, isAt: call.name == "linkat") != nil { note("hard links") }
            return nil
        default: return nil
        }
    }

    private mutating func rename(_ source: DiskPath?, _ target: DiskPath?) throws(DiskError) -> String? {
        switch (source, target) {
        case (let source?, let target?):
            try disk.rename(source, to: target)
            return "rename '\(source.text)' to '\(target.text)'"
        case (nil, nil): return nil
        case (nil, _?), (_?, nil):
            note("renames into or out of the state folder")
            return nil
        }
    }

    private mutating func remove(_ path: DiskPath?, isFolder: Bool) throws(DiskError) -> String? {
        guard let path else { return nil }
        if isFolder { try disk.removeDirectory(path) } else { try disk.remove(path) }
        return "remove '\(path.text)'"
    }
}
