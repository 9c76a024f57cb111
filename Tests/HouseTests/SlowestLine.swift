import Foundation

/// A device whose line is so slow that no version arrives while it is used: the only way in which a device
/// with the real updater does not come to run what it is offered.
enum SlowestLine {
    /// Its profile file, which makes `device: "slowest"` valid below `folder/Scenarios`.
    static func add(to folder: URL) throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        let plain = try String(
            contentsOf: repository.appendingPathComponent("Scenarios/profiles/plain.json5"), encoding: .utf8)
        let usual = "bandwidth: { is: \"10 Mbit/s\""
        precondition(plain.contains(usual))
        let profiles = folder.appendingPathComponent("Scenarios/profiles")
        try FileManager.default.createDirectory(at: profiles, withIntermediateDirectories: true)
        try Data(plain.replacingOccurrences(of: usual, with: "bandwidth: { is: \"1 kbit/s\"").utf8)
            .write(to: profiles.appendingPathComponent("slowest.json5"))
    }
}
