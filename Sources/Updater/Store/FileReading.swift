import Core

/// Reads a whole file in bounded steps of at most 256 KiB. The handle is closed when it is done or failed.
struct FileReading: Sendable {
    static let portion = 256 << 10

    private let path: DiskPath
    private let largest: Int
    private var file: FileHandle?
    private(set) var bytes: [UInt8] = []

    init(_ path: DiskPath, largest: Int) {
        self.path = path
        self.largest = largest
    }

    /// - Returns: true when ``bytes`` is the whole file.
    /// - Throws: what the disk says; `tooBig` beyond the limit.
    mutating func step(_ disk: inout some Disk) throws(DiskError) -> Bool {
        if file == nil { file = try disk.open(path, .read) }
        guard let file else { return true }
        let portion: [UInt8]
        do {
            portion = try disk.read(file, at: bytes.count, count: FileReading.portion)
        } catch {
            close(&disk)
            throw error
        }
        if bytes.isEmpty { bytes = portion } else { bytes.append(contentsOf: portion) }
        if bytes.count > largest {
            close(&disk)
            throw DiskError(.tooBig, .read, path)
        }
        guard portion.count < FileReading.portion else { return false }
        close(&disk)
        return true
    }

    /// Reading only: an error of the close says nothing about what was read.
    mutating func close(_ disk: inout some Disk) {
        guard let open = file else { return }
        file = nil
        do { try disk.close(open) } catch { return }
    }
}
