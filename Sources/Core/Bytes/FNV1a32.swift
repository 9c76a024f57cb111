/// FNV-1a with 32 bits (Fowler, Noll, Vo), from which the default port of an app id is derived (rule S4).
package enum FNV1a32 {
    /// Hash of the bytes.
    package static func hash(of bytes: some Sequence<UInt8>) -> UInt32 {
        var hash: UInt32 = 0x811c_9dc5
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return hash
    }

    /// Hash of the UTF-8 bytes.
    package static func hash(of text: String) -> UInt32 { hash(of: text.utf8) }
}
