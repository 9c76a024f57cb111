import Core

/// Beside a partial file: the URL it came from and the strong tag it had, so that only the same thing is gone
/// on with (storage.md: "reuse a partial of another URL" is a bug to plant).
enum PartialNote {
    static func read(_ key: Digest256, url: String, _ disk: inout some Disk) -> String? {
        var reading = FileReading(StorePaths.partialNote(key), largest: 4_096)
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

    /// Unsynced: losing it costs a resume, nothing else.
    static func write(_ key: Digest256, url: String, tag: String, _ disk: inout some Disk) throws(DiskError) {
        let path = StorePaths.partialNote(key)
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
