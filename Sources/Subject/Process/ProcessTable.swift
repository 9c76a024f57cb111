import Foundation

/// What the system tells about processes, from `/proc`. On a system without it nothing is found, and a
/// subject counts as at rest after a pause alone.
package enum ProcessTable {
    /// What a group of processes is doing.
    package struct Activity: Hashable, Sendable {
        /// Whether each of its threads sleeps.
        package var isAsleep = true
        /// Processor time of all its threads so far, in ticks of the system.
        package var ticks: UInt64 = 0
        package var threads = 0
    }

    package static func activity(ofGroup group: Int32) -> Activity {
        var activity = Activity()
        for process in all() {
            guard let stat = fields(of: "/proc/\(process)/stat"), stat.count > 2, stat[2] == "\(group)" else {
                continue
            }
            for thread in names(in: "/proc/\(process)/task") {
                guard let stat = fields(of: "/proc/\(process)/task/\(thread)/stat"), stat.count > 12 else {
                    continue
                }
                activity.threads += 1
                if !["S", "T", "Z", "I"].contains(stat[0]) { activity.isAsleep = false }
                activity.ticks += (UInt64(stat[11]) ?? 0) + (UInt64(stat[12]) ?? 0)
            }
        }
        return activity
    }

    /// Processes whose environment has this `KEY=VALUE`; what belongs to other users can't be read.
    package static func processes(with variable: String) -> [Int32] {
        let wanted = Array(variable.utf8)
        return all().filter { process in
            guard let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ") else {
                return false
            }
            return environment.split(separator: 0).contains { $0.elementsEqual(wanted) }
        }
    }

    /// What the descriptors of a process stand for, as the system names it: `socket:[4711]`.
    static func descriptors(of process: Int32) -> [String] {
        let folder = "/proc/\(process)/fd"
        return names(in: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
        }
    }

    private static func all() -> [Int32] { names(in: "/proc").compactMap { Int32($0) } }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// The fields after the name of the program, which is in brackets and may have spaces (proc(5)): state,
    /// parent, group, session … user time (11) and system time (12).
    private static func fields(of path: String) -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }
}
