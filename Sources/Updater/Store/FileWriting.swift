import Core

/// Writes bytes from the beginning of an open file, in bounded steps of at most 64 KiB and eight calls.
struct FileWriting: Sendable {
    static let bytesPerStep = 64 << 10

    let file: FileHandle
    private let bytes: [UInt8]
    private var offset = 0

    init(_ file: FileHandle, _ bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    /// Number of all bytes.
    var count: Int { bytes.count }

    /// - Returns: true if everything is written.
    /// - Throws: the disk's error; also when eight calls in a row were interrupted.
    mutating func step(_ disk: inout some Disk) throws(DiskError) -> Bool {
        let end = min(offset + FileWriting.bytesPerStep, bytes.count)
        offset += try disk.writeSome(file, bytes[offset..<end], at: offset)
        return offset == bytes.count
    }
}
