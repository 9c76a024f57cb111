import Backend
import Foundation
import Runner

/// The device profiles in `Scenarios/profiles`.
package enum Profiles {
    package static let folder =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path + "/Scenarios/profiles"

    package static let all = ProfileSet(folders: [folder])

    package struct UnknownProfile: Error {
        package var name: String
    }

    package static func named(_ name: String) throws -> DeviceProfile {
        guard let profile = all.profiles.first(where: { $0.name == name }) else {
            throw UnknownProfile(name: name)
        }
        return profile
    }
}
