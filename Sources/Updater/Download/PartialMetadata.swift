import Core

/// File beside a partial file with the URL it came from and its strong tag, so that only a download of the
/// same content resumes, never one of another URL.
enum PartialMetadata {
    static func read(_ key: Digest256, url: String, _ disk: inout some Disk) -> String? {
        var reading = FileReading(StorePaths.partialMetadata(key), limit: 4_096)
        do {
            guard try reading.step(&disk) else { return nil }
        } catch {
            return nil
        }
        let lines = String(decoding: reading.bytes, as: UTF8.self).split(separator: "\n")
        guard lines.count == 3, lines[0] == url else { return nil }
        guard lines[2] == String(FNV1a32.hash(of: String(lines[0] + lines[1]))) else { return nil }
        return String(lines[1])
    }

    /// Writes the file without a sync: if it is lost, the download can't resume.
    static func write(_ key: Digest256, url: String, tag: String, _ disk: inout some Disk) throws(DiskError) {
        let path = StorePaths.partialMetadata(key)
        _ = disk.removeQuietly(path)
        let file = try disk.open(path, .create)
        do {
            try disk.writeAll(file, Array("\(url)\n\(tag)\n\(FNV1a32.hash(of: url + tag))\n".utf8), at: 0)
        } catch {
            disk.closeQuietly(file)
            throw error
        }
        try disk.close(file)
    }
}
