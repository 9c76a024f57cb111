import Core

/// File beside a partial file with the URL it came from and its strong tag, so that only a download of the
/// same content resumes, never one of another URL.
///
/// It also has a mark of the boot in which the bytes were written. A power cut may take bytes that were not
/// synced and leave the file's length (ST-I1), and where no hash protects the joined content nothing would
/// show it.
struct PartialMetadata: Hashable, Sendable {
    /// Strong entity tag.
    var tag: String
    /// Equal for processes between which the device has certainly not lost power.
    var mark: String

    static func read(_ key: Digest256, url: String, _ disk: inout some Disk) -> PartialMetadata? {
        var reading = FileReading(StorePaths.partialMetadata(key), limit: 4_096)
        do {
            guard try reading.step(&disk) else { return nil }
        } catch {
            return nil
        }
        let lines = String(decoding: reading.bytes, as: UTF8.self).split(separator: "\n")
        guard lines.count == 4, lines[0] == url else { return nil }
        guard lines[3] == String(FNV1a32.hash(of: String(lines[0] + lines[1] + lines[2]))) else { return nil }
        return PartialMetadata(tag: String(lines[1]), mark: String(lines[2]))
    }

    /// Writes the file without a sync: if it is lost, the download can't resume.
    func write(_ key: Digest256, url: String, _ disk: inout some Disk) throws(DiskError) {
        let path = StorePaths.partialMetadata(key)
        _ = disk.removeQuietly(path)
        let file = try disk.open(path, .create)
        let hash = FNV1a32.hash(of: url + tag + mark)
        do {
            try disk.writeAll(file, Array("\(url)\n\(tag)\n\(mark)\n\(hash)\n".utf8), at: 0)
        } catch {
            disk.closeQuietly(file)
            throw error
        }
        try disk.close(file)
    }
}

extension Updater {
    /// The current boot, or this process where the platform gives no boot id.
    var partialMark: String {
        if let boot = StartNote.hash(ofBoot: launch?.bootID) { return "boot-\(boot)" }
        return "process-" + Hex.text(choose("partial"))
    }
}
