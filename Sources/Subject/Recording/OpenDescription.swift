import Core

/// What descriptors refer to: an open file or folder with its position, shared by `dup` and by a fork.
final class OpenDescription {
    enum Kind {
        /// A file of the state folder.
        case file(FileHandle)
        /// A folder: the state folder's or another one.
        case folder
        /// A file outside of the state folder, which is only read, with its path.
        case outside(String)
    }

    let kind: Kind
    /// Path in the system when it was opened.
    let path: String
    let appends: Bool
    var offset: Int64 = 0
    /// Number of descriptors.
    var references = 0

    init(_ kind: Kind, path: String, appends: Bool = false) {
        self.kind = kind
        self.path = path
        self.appends = appends
    }

    var handle: FileHandle? {
        if case .file(let handle) = kind { return handle }
        return nil
    }
}

/// Descriptors and working folder of a process; threads share one.
final class RecordedProcess {
    var descriptors: [Int64: OpenDescription] = [:]
    var folder: String

    init(in folder: String) { self.folder = folder }

    /// The child of a fork, with the same open files.
    func child() -> RecordedProcess {
        let child = RecordedProcess(in: folder)
        child.descriptors = descriptors
        for description in descriptors.values { description.references += 1 }
        return child
    }
}
