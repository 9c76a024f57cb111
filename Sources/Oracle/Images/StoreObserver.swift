import Backend
import Core
import Updater

/// Keeps ``StoreView`` up to date with a simulated disk, cheaply: only what calls have touched is looked at
/// again, nothing is read anew whose content is the same, and each content is hashed once.
///
/// What was touched and is not durable yet is remembered, and looked at in the durable image after every
/// sync (a sync of one file may, in some crash models, bring others to the medium). Where the disk can't
/// say what was touched (a power cut, a hand from outside) everything is compared.
package struct StoreObserver: Sendable {
    package private(set) var view = StoreView()
    /// ``ObservableDisk/revision`` of what was looked at last.
    package private(set) var mark = -1
    private var files = WatchedFiles()
    private var live = ImageKeeper(view: .live)
    private var durable = ImageKeeper(view: .durable)
    /// Touched, and different on the medium when it was looked at last; places in ``files``.
    private var pending: [Int] = []
    private let contents: ContentReader

    /// - Parameter readings: of stores that keep the same versions.
    package init(_ readings: ContentReadings) { contents = ContentReader(readings) }

    /// Looks at the disk again.
    /// - Returns: whether the live or the durable image is another one than before.
    package mutating func update(_ disk: some ObservableDisk) -> Bool {
        let (changes, next) = disk.changes(since: mark)
        mark = next
        guard let changes else { return compareAll(disk) }
        if changes.isEmpty { return false }
        var isLiveChanged = false
        var hasSync = false
        var former = -1
        for change in changes {
            if change.isSync { hasSync = true }
            if change.pathIndex == former { continue }
            former = change.pathIndex
            guard let place = files.place(of: change.pathIndex, disk) else { continue }
            let now = files.content(at: place, disk, .live)
            if live.take(now, at: place, files, contents, &view.live) { isLiveChanged = true }
            if !pending.contains(place) { pending.append(place) }
        }
        var isDurableChanged = false
        if hasSync {
            for place in pending {
                let now = files.content(at: place, disk, .durable)
                if durable.take(now, at: place, files, contents, &view.durable) { isDurableChanged = true }
            }
            pending.removeAll { live.content(at: $0) == durable.content(at: $0) }
        }
        return publish(isLiveChanged, isDurableChanged)
    }

    /// Files of the store that a power cut could take back or change, in the order of their paths.
    package var unsyncedPaths: [DiskPath] {
        pending.map { files.path(at: $0) }.sorted { TextBytes.precedes($0.text, $1.text) }
    }

    /// The scenario damaged something that is stored.
    package mutating func mediumDamaged(_ disk: some ObservableDisk) {
        let before = view.live.blobs.map(\.name)
        _ = update(disk)
        view.isDamaged = true
        view.lost += before.filter { view.live.blob($0) == nil }
    }

    private mutating func compareAll(_ disk: some ObservableDisk) -> Bool {
        let isLiveChanged = live.takeAll(disk, &files, contents, &view.live)
        let isDurableChanged = durable.takeAll(disk, &files, contents, &view.durable)
        pending = files.places.filter { live.content(at: $0) != durable.content(at: $0) }
        return publish(isLiveChanged, isDurableChanged)
    }

    private mutating func publish(_ isLiveChanged: Bool, _ isDurableChanged: Bool) -> Bool {
        if isLiveChanged, !view.lost.isEmpty {
            let present = view.live
            view.lost.removeAll { present.blob($0) != nil }
        }
        return isLiveChanged || isDurableChanged
    }
}

/// The store's files by places of this watch's own: what the disk's numbers and a listing's paths both lead
/// to. Grows only.
struct WatchedFiles: Sendable {
    private var paths: [DiskPath] = []
    private var kinds: [StoredFile] = []
    private var numbers: [Int] = []
    /// Of those that the disk has no number for: found by a listing, under a folder that was renamed.
    private var placesByText: [String: Int] = [:]
    /// By the disk's numbers; -1: not seen yet, -2: not of the store.
    private var placesByNumber: [Int] = []

    var places: Range<Int> { paths.indices }

    func path(at place: Int) -> DiskPath { paths[place] }

    func kind(at place: Int) -> StoredFile { kinds[place] }

    /// As it is meant, without damage of the medium; the record as it reads, since nobody can be held to
    /// what a damaged generation said (R8: it falls back to the older one).
    func content(at place: Int, _ disk: some ObservableDisk, _ view: DiskImage) -> FileContent? {
        let number = numbers[place]
        let isPristine = !kinds[place].isRecord
        // Found by a listing only: no call has touched it.
        if number < 0 { return disk.content(of: paths[place], in: view, isPristine: isPristine) }
        return disk.content(at: number, in: view, isPristine: isPristine)
    }

    /// Nil for a path outside the store.
    mutating func place(of number: Int, _ disk: some ObservableDisk) -> Int? {
        while placesByNumber.count <= number { placesByNumber.append(-1) }
        if placesByNumber[number] == -1 {
            let path = disk.path(at: number)
            let isStored = path.text.utf8.starts(with: StorePaths.root.text.utf8)
            placesByNumber[number] = isStored ? placesByText[path.text] ?? add(path) : -2
            if isStored { numbers[placesByNumber[number]] = number }
        }
        let place = placesByNumber[number]
        return place < 0 ? nil : place
    }

    mutating func place(of path: DiskPath, _ disk: some ObservableDisk) -> Int? {
        if let number = disk.index(of: path) { return place(of: number, disk) }
        if let known = placesByText[path.text] { return known }
        placesByText[path.text] = add(path)
        return paths.count - 1
    }

    private mutating func add(_ path: DiskPath) -> Int {
        paths.append(path)
        numbers.append(-1)
        kinds.append(StoredFile(path))
        return paths.count - 1
    }
}

/// One view of the store, file by file; what is new goes into the image that it makes.
struct ImageKeeper: Sendable {
    let view: DiskImage
    /// By place.
    private var contents: [FileContent?] = []

    init(view: DiskImage) { self.view = view }

    func content(at place: Int) -> FileContent? { place < contents.count ? contents[place] : nil }

    /// - Returns: whether what stands there is different.
    mutating func take(
        _ now: FileContent?, at place: Int, _ files: WatchedFiles, _ reader: ContentReader,
        _ image: inout StoreImage
    ) -> Bool {
        while contents.count <= place { contents.append(nil) }
        if now == contents[place] { return false }
        contents[place] = now
        let (kind, path) = (files.kind(at: place), files.path(at: place))
        if let now {
            reader.put(kind, path, now, into: &image)
        } else {
            reader.remove(kind, path, from: &image)
        }
        return true
    }

    mutating func takeAll(
        _ disk: some ObservableDisk, _ files: inout WatchedFiles, _ reader: ContentReader,
        _ image: inout StoreImage
    ) -> Bool {
        let there = disk.files(under: StorePaths.root, in: view)
        var isThere = [Bool](repeating: false, count: files.places.count)
        var isChanged = false
        for path in there {
            guard let place = files.place(of: path, disk) else { continue }
            while isThere.count <= place { isThere.append(false) }
            isThere[place] = true
            let now = files.content(at: place, disk, view)
            if take(now, at: place, files, reader, &image) { isChanged = true }
        }
        for place in isThere.indices where !isThere[place] && content(at: place) != nil {
            if take(nil, at: place, files, reader, &image) { isChanged = true }
        }
        return isChanged
    }
}
