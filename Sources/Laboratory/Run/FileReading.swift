import Foundation
import ScenarioLanguage

/// Reads a file that people write, or says in a sentence why it can't be read.
public enum FileReading {
    public struct Fault: Error, Hashable, Sendable {
        /// One sentence without a full stop: "this is a folder".
        public var why: String
        /// What to do next; nil where nothing is to be said.
        public var help: String?
    }

    /// Never more than the reader takes, and one byte to see that there is more: a pipe or a device that
    /// never ends does not end the program.
    public static func bytes(at path: String) -> Result<[UInt8], Fault> {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return .failure(Fault(why: "there is nothing there", help: nil))
        }
        if isFolder.boolValue {
            return .failure(Fault(why: "this is a folder, not a file", help: "name a file in it"))
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            let why = FileManager.default.isReadableFile(atPath: path) ? "can't be opened" : "may not be read"
            return .failure(Fault(why: why, help: "look at its permissions: ls -l \(path)"))
        }
        defer { file.closeFile() }
        do {
            return .success(Array(try file.read(upToCount: ScenarioReader.limits.maxBytes + 1) ?? Data()))
        } catch {
            return .failure(Fault(why: "can't be read", help: nil))
        }
    }
}
