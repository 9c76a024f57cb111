import Backend
import Foundation
import Testing
import World

@testable import Runner

/// The device profiles of the scenarios' folder.
enum Profiles {
    static let folder =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path + "/Scenarios/profiles"

    static let all = ProfileSet(folders: [folder])

    static func named(_ name: String) throws -> DeviceProfile {
        try #require(all.profiles.first { $0.name == name })
    }
}

/// A folder of files, gone with the test.
final class ScratchFolder {
    let path: String

    init(_ files: [(name: String, text: String)]) throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("laboratory-\(UUID().uuidString)").path
        for (name, text) in files {
            let file = URL(fileURLWithPath: path + "/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
