import Core

/// Reads a whole file in bounded steps: of at most 256 KiB where a page waits for the file, else of 64 KiB
/// (S9). The handle is closed at the end or after an error.
struct FileReading: Sendable {
    /// Bytes of a step for which a page, the user or the platform waits.
    static let urgentChunkSize = 256 << 10
    /// Bytes of a step of the background.
    static let backgroundChunkSize = 64 << 10

    private let path: DiskPath
    private let limit: Int
    private let chunkSize: Int
    private var file: FileHandle?
    private(set) var bytes: [UInt8] = []

    init(_ path: DiskPath, limit: Int, isUrgent: Bool = true) {
        self.path = path
        self.limit = limit
        chunkSize = isUrgent ? FileReading.urgentChunkSize : FileReading.backgroundChunkSize
    }

    /// Reads the next chunk.
    /// - Returns: true if ``bytes`` is the whole file.
    /// - Throws: the disk's error; `tooBig` beyond the limit.
    mutating func step(_ disk: inout some Disk) throws(DiskError) -> Bool {
        if file == nil { file = try disk.open(path, .read) }
        guard let file else { return true }
        let chunk: [UInt8]
        do {
            chunk = try disk.read(file, at: bytes.count, count: chunkSize)
        } catch {
            close(&disk)
            throw error
        }
        if bytes.isEmpty { bytes = chunk } else { bytes.append(contentsOf: chunk) }
        if bytes.count > limit {
            close(&disk)
            throw DiskError(.tooBig, .read, path)
        }
        guard chunk.count < chunkSize else { return false }
        close(&disk)
        return true
    }

    /// The file was only read: an error of the close says nothing about its bytes.
    mutating func close(_ disk: inout some Disk) {
        guard let open = file else { return }
        file = nil
        do { try disk.close(open) } catch { return }
    }
}
