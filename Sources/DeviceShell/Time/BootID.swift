#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// Identifier of the device's current boot (R2, R10): `kern.bootsessionuuid` on Apple's systems,
/// `/proc/sys/kernel/random/boot_id` on Linux and Android.
public enum BootID {
    /// The identifier; nil where the platform does not provide one.
    public static func read() -> String? {
        #if canImport(Darwin)
            var bytes = [UInt8](repeating: 0, count: 64)
            var size = bytes.count
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
            return text(bytes[..<size])
        #else
            let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { _ = close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = bytes.withUnsafeMutableBytes { system(descriptor, $0.baseAddress, $0.count) }
            return count > 0 ? text(bytes[..<count]) : nil
        #endif
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let visible = bytes.prefix { $0 > 0x20 && $0 < 0x7F }
        return visible.isEmpty ? nil : String(decoding: visible, as: UTF8.self)
    }
}

#if !canImport(Darwin)
    /// `read(2)`; the type's own `read()` hides the name.
    private func system(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        read(descriptor, bytes, count)
    }
#endif
