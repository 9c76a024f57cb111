import Backend
import Core
import Updater

/// Keeps ``StoreView`` up to date with a simulated disk at low cost: it inspects only files that disk calls
/// have touched, parses a file only if its content has changed, and hashes each content once.
///
/// Files that were touched and are not durable yet stay in a list, and their durable content is inspected
/// after every sync, because in some crash models the sync of one file makes others durable. If the disk
/// can't say which files were touched (after a power cut, or a change from outside), all files are compared.
package struct StoreObserver: Sendable {
    package private(set) var view = StoreView()
    /// ``ObservableDisk/revision`` at the last update.
    package private(set) var mark = -1
    private var files = ObservedFiles()
    private var live = ImageTracker(view: .live)
    private var durable = ImageTracker(view: .durable)
    /// Indices in ``files`` of the files whose durable content differed from the live content at the last
    /// inspection.
    private var pending: [Int] = []
    /// Those of them that a call has touched since that inspection; there can be one of them twice.
    private var touched: [Int] = []
    private let writer: StoreImageWriter

    /// - Parameter contents: A cache that is shared by stores that keep the same versions.
    package init(_ contents: StoredContentCache) { writer = StoreImageWriter(contents) }

    /// Brings the view up to date with the disk.
    /// - Returns: Whether the live or the durable image has changed.
    package mutating func update(_ disk: some ObservableDisk) -> Bool {
        let isChanged = updateImages(disk)
        if !view.resized.isEmpty { view.resized = files.resizedBlobs(disk) }
        return isChanged
    }

    private mutating func updateImages(_ disk: some ObservableDisk) -> Bool {
        let (changes, next) = disk.changes(since: mark)
        mark = next
        guard let changes else { return compareAll(disk) }
        if changes.isEmpty { return false }
        var isLiveChanged = false
        var hasSync = false
        var previousPath = -1
        for change in changes {
            if change.isSync { hasSync = true }
            if change.pathIndex == previousPath { continue }
            previousPath = change.pathIndex
            guard let index = files.index(ofDiskPath: change.pathIndex, disk) else { continue }
            let now = files.content(at: index, disk, .live)
            if live.update(now, at: index, files, writer, &view.live) { isLiveChanged = true }
            if !pending.contains(index) { pending.append(index) }
            touched.append(index)
        }
        var isDurableChanged = false
        if hasSync {
            for index in pending {
                let now = files.content(at: index, disk, .durable)
                guard durable.update(now, at: index, files, writer, &view.durable) else { continue }
                isDurableChanged = true
                touched.append(index)
            }
            // The others still differ as they did at the last inspection.
            for index in touched where live.content(at: index) == durable.content(at: index) {
                pending.removeAll { $0 == index }
            }
            touched = []
        }
        return publish(isLiveChanged, isDurableChanged)
    }

    /// Files of the store that a power cut could remove or change, in the order of their paths.
    package var unsyncedPaths: [DiskPath] {
        pending.map { files.path(at: $0) }.sorted { TextBytes.precedes($0.text, $1.text) }
    }

    /// Call this after the scenario has damaged stored content.
    package mutating func mediumDamaged(_ disk: some ObservableDisk) {
        let before = (blobs: view.live.blobs.map(\.name), tables: view.live.tableNames)
        _ = update(disk)
        view.isDamaged = true
        files.isDamaged = true
        view.lost += before.blobs.filter { view.live.blob($0) == nil }
        view.lostTables += before.tables.filter { !view.live.tableNames.contains($0) }
        view.resized = files.resizedBlobs(disk)
    }

    private mutating func compareAll(_ disk: some ObservableDisk) -> Bool {
        let isLiveChanged = live.updateAll(disk, &files, writer, &view.live)
        let isDurableChanged = durable.updateAll(disk, &files, writer, &view.durable)
        pending = files.indices.filter { live.content(at: $0) != durable.content(at: $0) }
        touched = []
        return publish(isLiveChanged, isDurableChanged)
    }

    private mutating func publish(_ isLiveChanged: Bool, _ isDurableChanged: Bool) -> Bool {
        if isLiveChanged, !view.lost.isEmpty || !view.lostTables.isEmpty {
            let present = view.live
            view.lost.removeAll { present.blob($0) != nil }
            view.lostTables.removeAll(where: present.tableNames.contains)
        }
        return isLiveChanged || isDurableChanged
    }
}

/// The store's files, each with an index that the disk's path index and the path itself both lead to. Files
/// are only added.
struct ObservedFiles: Sendable {
    private var paths: [DiskPath] = []
    private var kinds: [StoredFile] = []
    /// The disk's path index of each file; -1 for a file that the disk has no index for: a listing found it,
    /// in a folder that was renamed.
    private var pathIndices: [Int] = []
    /// Index by path, for files that a listing found.
    private var indicesByText: [String: Int] = [:]
    /// Index by the disk's path index; -1: not seen yet, -2: outside the store.
    private var indicesByPathIndex: [Int] = []

    /// Whether the scenario has damaged anything stored.
    var isDamaged = false

    var indices: Range<Int> { paths.indices }

    func path(at index: Int) -> DiskPath { paths[index] }

    func kind(at index: Int) -> StoredFile { kinds[index] }

    /// The content of a file without damage of the medium. The record's files are returned with the damage,
    /// because the updater can't be expected to follow a generation that was damaged (R8: it falls back to
    /// the older one). So is a blob whose name is the digest of its damaged bytes: the damage came first, in
    /// the partial file, and a manifest without hashes accepts what was read back.
    func content(at index: Int, _ disk: some ObservableDisk, _ view: DiskImage) -> FileContent? {
        guard isDamaged, case .blob(let name) = kinds[index] else {
            return content(at: index, disk, view, isPristine: !kinds[index].isRecord)
        }
        let pristine = content(at: index, disk, view, isPristine: true)
        guard let stored = content(at: index, disk, view, isPristine: false), stored != pristine else {
            return pristine
        }
        var hash = SHA256()
        hash.update(stored.read(at: 0, count: stored.size))
        return hash.finish() == name ? stored : pristine
    }

    /// Names of blobs that have another length than without damage of the medium.
    func resizedBlobs(_ disk: some ObservableDisk) -> [Digest256] {
        indices.compactMap { index in
            guard case .blob(let name) = kinds[index],
                let stored = content(at: index, disk, .live, isPristine: false),
                let pristine = content(at: index, disk, .live), stored.size != pristine.size
            else { return nil }
            return name
        }
    }

    private func content(
        at index: Int, _ disk: some ObservableDisk, _ view: DiskImage, isPristine: Bool
    ) -> FileContent? {
        let pathIndex = pathIndices[index]
        // Found by a listing only: no call has touched it.
        if pathIndex < 0 { return disk.content(of: paths[index], in: view, isPristine: isPristine) }
        return disk.content(at: pathIndex, in: view, isPristine: isPristine)
    }

    /// Nil for a path outside the store.
    mutating func index(ofDiskPath pathIndex: Int, _ disk: some ObservableDisk) -> Int? {
        while indicesByPathIndex.count <= pathIndex { indicesByPathIndex.append(-1) }
        if indicesByPathIndex[pathIndex] == -1 {
            let path = disk.path(at: pathIndex)
            let isStored = path.text.utf8.starts(with: StorePaths.root.text.utf8)
            indicesByPathIndex[pathIndex] = isStored ? indicesByText[path.text] ?? add(path) : -2
            if isStored { pathIndices[indicesByPathIndex[pathIndex]] = pathIndex }
        }
        let index = indicesByPathIndex[pathIndex]
        return index < 0 ? nil : index
    }

    mutating func index(of path: DiskPath, _ disk: some ObservableDisk) -> Int? {
        if let pathIndex = disk.index(of: path) { return index(ofDiskPath: pathIndex, disk) }
        if let known = indicesByText[path.text] { return known }
        indicesByText[path.text] = add(path)
        return paths.count - 1
    }

    private mutating func add(_ path: DiskPath) -> Int {
        paths.append(path)
        pathIndices.append(-1)
        kinds.append(StoredFile(path))
        return paths.count - 1
    }
}

/// The contents of all files in one view of the store. A change of a content updates the image of that view.
struct ImageTracker: Sendable {
    let view: DiskImage
    /// Contents by the file's index.
    private var contents: [FileContent?] = []

    init(view: DiskImage) { self.view = view }

    func content(at index: Int) -> FileContent? { index < contents.count ? contents[index] : nil }

    /// - Returns: Whether the content has changed.
    mutating func update(
        _ now: FileContent?, at index: Int, _ files: ObservedFiles, _ writer: StoreImageWriter,
        _ image: inout StoreImage
    ) -> Bool {
        while contents.count <= index { contents.append(nil) }
        if now == contents[index] { return false }
        contents[index] = now
        let (kind, path) = (files.kind(at: index), files.path(at: index))
        if let now {
            writer.put(kind, path, now, into: &image)
        } else {
            writer.remove(kind, path, from: &image)
        }
        return true
    }

    mutating func updateAll(
        _ disk: some ObservableDisk, _ files: inout ObservedFiles, _ writer: StoreImageWriter,
        _ image: inout StoreImage
    ) -> Bool {
        let paths = disk.files(under: StorePaths.root, in: view)
        var isPresent = [Bool](repeating: false, count: files.indices.count)
        var isChanged = false
        for path in paths {
            guard let index = files.index(of: path, disk) else { continue }
            while isPresent.count <= index { isPresent.append(false) }
            isPresent[index] = true
            let now = files.content(at: index, disk, view)
            if update(now, at: index, files, writer, &image) { isChanged = true }
        }
        for index in isPresent.indices where !isPresent[index] && content(at: index) != nil {
            if update(nil, at: index, files, writer, &image) { isChanged = true }
        }
        return isChanged
    }
}
