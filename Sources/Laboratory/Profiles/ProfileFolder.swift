import Foundation
import ScenarioLanguage
import World

extension Laboratory {
    /// The profiles of a folder, and the built-in ones under names that the folder does not have. A file
    /// that is wrong is a result of its own; scenarios that name it find no such device.
    public static func profiles(in folder: String) -> (profiles: [DeviceProfile], invalid: [ScenarioResult]) {
        var found: [DeviceProfile] = []
        var invalid: [ScenarioResult] = []
        var taken: [String] = []
        let names = (FileManager.default.subpaths(atPath: folder) ?? []).filter { $0.hasSuffix(".json5") }
        for name in names.sorted() {
            let path = folder + "/" + name
            taken.append(String(name.dropLast(6)))
            let bytes = FileManager.default.contents(atPath: path).map { Array($0) } ?? []
            let (profile, diagnostics) = ProfileReader.read(path: path, bytes: bytes)
            if let profile { found.append(profile) }
            guard !diagnostics.isEmpty else { continue }
            let id = String(path.dropLast(6))
            var result = ScenarioResult(id: id, name: id, file: path, title: "(device profile)")
            result.verdict = .invalid
            result.diagnostics = diagnostics.map { DiagnosticResult($0) }
            result.line = result.diagnostics.first?.place.line ?? 1
            invalid.append(result)
        }
        for profile in DeviceProfile.known
        where !taken.contains(profile.name) && !found.contains(where: { $0.name == profile.name }) {
            found.append(profile)
        }
        return (found, invalid)
    }
}
