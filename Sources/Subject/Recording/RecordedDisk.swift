import Backend
import Core
import Foundation
import World

/// Replays the recorded system calls of an app's processes onto the model of a disk, so that a power cut can
/// have each outcome there that it can have on a real one.
///
/// Promises: calls on the state folder change the model as they changed the folder; all others change
/// nothing. A sync makes durable what was written when it began. What is not followed is said
/// (``notFollowed``): shared memory maps, asynchronous writes, hard links.
///
/// Throws ``ReplayFault`` where the model says something else than the system did. Deliberately not here:
/// modes, times, locks.
struct RecordedDisk {
    /// A call that can't be replayed.
    struct ReplayFault: Error, Hashable {
        var message: String
    }

    /// The state folder is its data volume.
    var disk: SimulatedDisk
    /// Real path of the state folder.
    let root: String
    /// Real path of the app package, and what it has.
    var package: (root: String, image: StateImage)?
    /// Kinds of calls on the state folder that are not followed, each once.
    private(set) var notFollowed: [String] = []
    private let workingFolder: String
    private var processes: [Int: RecordedProcess] = [:]
    private var tickets: UInt32 = 0
    /// Syncs under way, by thread.
    private var syncs: [Int: SyncTicket] = [:]

    init(root: String, workingFolder: String, profile: CrashProfile) {
        disk = SimulatedDisk(profile: profile, capacity: 64 << 30)
        self.root = root
        self.workingFolder = workingFolder
    }

    /// The app's process has ended, with all that it had open.
    mutating func processEnded() {
        disk.processEnded()
        processes = [:]
        syncs = [:]
    }

    /// The process of a thread. One whose beginning is not known yet is a thread of the first one.
    mutating func process(of thread: Int) -> RecordedProcess {
        if let known = processes[thread] { return known }
        let process = processes.min { $0.key < $1.key }?.value ?? RecordedProcess(in: workingFolder)
        processes[thread] = process
        return process
    }

    /// A call has begun a thread: of its own process, or the first one of a child.
    mutating func begin(thread: Int, _ process: () -> RecordedProcess) {
        if processes[thread] == nil { processes[thread] = process() }
    }

    mutating func note(_ kind: String) {
        if !notFollowed.contains(kind) { notFollowed.append(kind) }
    }

    /// A file that processes only read; nil: it is not one of the app package.
    func content(outside path: String) -> [UInt8]? {
        guard let package, path.hasPrefix(package.root + "/") else { return nil }
        let name = path.dropFirst(package.root.count + 1)
        guard case .file(let bytes)? = package.image.entries.first(where: { $0.path == name })?.entry else {
            return nil
        }
        return bytes
    }

    // MARK: - Syncs

    /// The sync that a call makes, begun before it ends: it covers what is pending now.
    mutating func beginSync(_ call: SystemCall) {
        guard !call.hasFailed, let target = syncTarget(call) else { return }
        tickets += 1
        let ticket = SyncTicket(tickets)
        syncs[call.thread] = ticket
        disk.submit(ticket, target)
    }

    mutating func endSync(_ call: SystemCall) throws(ReplayFault) -> String? {
        guard let ticket = syncs.removeValue(forKey: call.thread) else { return nil }
        if let error = disk.complete(ticket) { throw ReplayFault(message: "\(call.name): \(error)") }
        return "\(call.name) '\(call.path(0).map { relative($0) ?? "" } ?? "")'"
    }

    static func isSync(_ call: SystemCall) -> Bool { call.name == "fsync" || call.name == "fdatasync" }

    private mutating func syncTarget(_ call: SystemCall) -> SyncTarget? {
        let process = process(of: call.thread)
        guard let number = call.number(0), let open = process.descriptors[number] else { return nil }
        switch open.kind {
        case .file(let handle): return .file(handle)
        case .folder:
            // The system names the folder as it is called now.
            let path = call.path(0).flatMap { relative($0) } ?? relative(Array(open.path.utf8))
            return path.map { .directory(DiskPath(.data, $0)) }
        case .outside: return nil
        }
    }

    // MARK: - Paths

    /// Path below the state folder; nil: somewhere else.
    func relative(_ path: [UInt8]) -> String? {
        let text = String(decoding: path, as: UTF8.self)
        if text == root { return "" }
        guard text.hasPrefix(root + "/") else { return nil }
        return String(text.dropFirst(root.count + 1))
    }

    /// Path below the state folder that a call means, with the links of its folders followed; nil: somewhere
    /// else.
    func resolve(_ path: [UInt8]?, in folder: String, followsLast: Bool = false) -> String? {
        guard let path else { return nil }
        let text = String(decoding: path, as: UTF8.self)
        return resolve(text.hasPrefix("/") ? text : folder + "/" + text, followsLast: followsLast, depth: 0)
    }

    private func resolve(_ path: String, followsLast: Bool, depth: Int) -> String? {
        var parts: [Substring] = []
        let all = path.split(separator: "/")
        for (index, part) in all.enumerated() {
            switch part {
            case ".": continue
            case "..": _ = parts.popLast()
            default:
                parts.append(part)
                let soFar = "/" + parts.joined(separator: "/")
                guard index < all.count - 1 || followsLast, depth < 16,
                    let inside = relative(Array(soFar.utf8)),
                    let content = disk.content(of: DiskPath(.data, inside))?.bytes,
                    let target = RecordedLink.target(in: content)
                else { continue }
                let text = String(decoding: target, as: UTF8.self)
                let parent = "/" + parts.dropLast().joined(separator: "/")
                let rest = all[(index + 1)...].map { "/" + $0 }.joined()
                return resolve(
                    (text.hasPrefix("/") ? text : parent + "/" + text) + rest, followsLast: followsLast,
                    depth: depth + 1)
            }
        }
        return relative(Array(("/" + parts.joined(separator: "/")).utf8))
    }
}
