import Core
import Updater
import World

/// Keeps ``StoreView`` up to date with a simulated disk, cheaply: only what calls have touched is looked at
/// again, nothing is read anew whose content is the same, and each content is hashed once.
///
/// What was touched and is not durable yet is remembered, and looked at in the durable image after every
/// sync (a sync of one file may, in some crash models, bring others to the medium). Where the disk can't
/// say what was touched (a power cut, a hand from outside) everything is compared.
public struct StoreWatch: Sendable {
    public private(set) var view = StoreView()
    private var mark = -1
    private var live = ImageKeeper(view: .live)
    private var durable = ImageKeeper(view: .durable)
    /// Touched, and different on the medium when it was looked at last.
    private var pending: [DiskPath] = []
    private var contents: ContentReader

    /// - Parameter dialect: of the manifests that the store keeps.
    public init(dialect: ManifestDialect) { contents = ContentReader(dialect: dialect) }

    /// Looks at the disk again.
    /// - Parameter isForced: something other than the app may have changed it.
    /// - Returns: whether the live or the durable image is another one than before.
    public mutating func update(_ disk: SimulatedDisk, isForced: Bool = false) -> Bool {
        let (changes, next) = disk.changes(since: mark)
        mark = next
        guard let changes, !isForced else { return compareAll(disk) }
        if changes.isEmpty { return false }
        var isLiveChanged = false
        var hasSync = false
        for change in changes {
            if change.isSync { hasSync = true }
            if live.look(at: change.path, disk, &contents) { isLiveChanged = true }
            if !pending.contains(change.path) { pending.append(change.path) }
        }
        var isDurableChanged = false
        if hasSync {
            for path in pending where durable.look(at: path, disk, &contents) { isDurableChanged = true }
            pending.removeAll { live.content(of: $0) == durable.content(of: $0) }
        }
        return publish(isLiveChanged, isDurableChanged)
    }

    /// The scenario damaged something that is stored.
    public mutating func mediumDamaged(_ disk: SimulatedDisk) {
        let before = view.live.blobs.map(\.name)
        _ = update(disk, isForced: true)
        view.isDamaged = true
        view.lost += before.filter { view.live.blob($0) == nil }
    }

    private mutating func compareAll(_ disk: SimulatedDisk) -> Bool {
        let isLiveChanged = live.lookAtAll(disk, &contents)
        let isDurableChanged = durable.lookAtAll(disk, &contents)
        pending = (live.paths + durable.paths).filter { live.content(of: $0) != durable.content(of: $0) }
        return publish(isLiveChanged, isDurableChanged)
    }

    private mutating func publish(_ isLiveChanged: Bool, _ isDurableChanged: Bool) -> Bool {
        if isLiveChanged {
            view.live = live.image
            if !view.lost.isEmpty {
                let present = view.live
                view.lost.removeAll { present.blob($0) != nil }
            }
        }
        if isDurableChanged { view.durable = durable.image }
        return isLiveChanged || isDurableChanged
    }
}

/// One view of the store, file by file, and the image that they make.
struct ImageKeeper: Sendable {
    let view: DiskView
    private(set) var image = StoreImage()
    private var files: [String: FileContent] = [:]

    init(view: DiskView) { self.view = view }

    var paths: [DiskPath] { files.keys.sorted().map { DiskPath(.data, $0) } }

    func content(of path: DiskPath) -> FileContent? { files[path.text] }

    /// - Returns: whether what stands there is different.
    mutating func look(at path: DiskPath, _ disk: SimulatedDisk, _ reader: inout ContentReader) -> Bool {
        guard path.text.utf8.starts(with: StorePaths.root.text.utf8) else { return false }
        let now = disk.content(of: path, in: view, isPristine: true)
        if now == files[path.text] { return false }
        files[path.text] = now
        if let now { reader.put(path, now, into: &image) } else { reader.remove(path, from: &image) }
        return true
    }

    mutating func lookAtAll(_ disk: SimulatedDisk, _ reader: inout ContentReader) -> Bool {
        let there = disk.files(under: StorePaths.root, in: view)
        var isChanged = false
        for path in there where look(at: path, disk, &reader) { isChanged = true }
        let gone = files.keys.filter { name in !there.contains { $0.text == name } }.sorted()
        for name in gone where look(at: DiskPath(.data, name), disk, &reader) { isChanged = true }
        return isChanged
    }
}
