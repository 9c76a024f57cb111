#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// Whether a debugger is attached to this process: it stops and ends the process at will, so that such an end
/// says nothing about a version (R2).
public enum Debugger {
    /// `P_TRACED` of `sysctl` on Apple's systems (Technical Q&A QA1361), `TracerPid` of `/proc/self/status`
    /// on Linux and Android; false where neither can be read.
    public static var isAttached: Bool {
        #if canImport(Darwin)
            var names = [CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid()]
            var info = kinfo_proc()
            var size = MemoryLayout<kinfo_proc>.stride
            guard sysctl(&names, UInt32(names.count), &info, &size, nil, 0) == 0 else { return false }
            return info.kp_proc.p_flag & P_TRACED != 0
        #else
            let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            defer { _ = close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            return count > 0 && isTraced(bytes[..<count])
        #endif
    }

    /// Whether the text of `/proc/PID/status` names a tracer.
    static func isTraced(_ status: ArraySlice<UInt8>) -> Bool {
        for line in status.split(separator: UInt8(ascii: "\n")) {
            let words = line.split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\t") }
            guard let name = words.first, Array(name) == Array("TracerPid".utf8) else { continue }
            return words.dropFirst().first.map { Array($0) != [UInt8(ascii: "0")] } ?? false
        }
        return false
    }
}
