import AppHost
import Core
import Updater

/// Stands at the app's door in the copy that bugs are planted in: a filter of the events that come in, and a
/// wrapper of the disk. With no bug chosen it hands on everything as it is.
struct PlantedDoor: Sendable {
    private var files = PlantedFiles()
    /// Transfers whose end has been told already.
    private var ended: [TransferID] = []
    /// The newest piece of each transfer, and those that come once more after it was cancelled.
    private var pieces: [(id: TransferID, event: AppHost.Event)] = []
    private var late: [AppHost.Event] = []
    /// Syncs that were left out and are answered with the next event.
    private var leftOut: [SyncTicket] = []

    mutating func handle(
        _ event: AppHost.Event, at now: Instant, _ app: inout AppHost, _ disk: inout SimulatedDisk
    ) -> [AppHost.Effect] {
        if case .launched = event { self = PlantedDoor() }
        var effects: [AppHost.Effect] = []
        let answers = leftOut.map { AppHost.Event.synced($0, nil) }
        leftOut = []
        for (number, event) in (answers + filtered(event)).enumerated() {
            // A second event is a step of its own.
            if number > 0 { disk.beginStep() }
            effects += pass(event, now, &app, &disk)
        }
        if troubled(by: "late-bytes") { noteCancelled(effects) }
        return effects
    }

    /// A platform that has a piece in its hands when the transfer is cancelled, and hands it over later.
    private mutating func noteCancelled(_ effects: [AppHost.Effect]) {
        for case .cancelFetch(let id) in effects {
            late += pieces.filter { $0.id == id }.map(\.event)
            pieces.removeAll { $0.id == id }
        }
    }

    private mutating func pass(
        _ event: AppHost.Event, _ now: Instant, _ app: inout AppHost, _ disk: inout SimulatedDisk
    ) -> [AppHost.Effect] {
        var files = self.files
        let effects = withUnsafeMutablePointer(to: &disk) { below in
            var planted = PlantedDisk(below: below, files: files)
            let effects = app.handle(event, at: now, disk: &planted)
            let passed = effects.compactMap { planted.passed($0, &leftOut) }
            files = planted.files
            return passed
        }
        self.files = files
        return effects
    }

    /// What arrives in place of this event.
    private mutating func filtered(_ event: AppHost.Event) -> [AppHost.Event] {
        switch event {
        case .timer(.updater(.startup)): planted("door-loses-startup-timer") ? [] : [event]
        case .timer(.updater(.retry)): planted("door-loses-retry-timer") ? [] : [event]
        case .foreground: planted("door-loses-foreground") ? [] : [event]
        case .suspended, .resumed: planted("door-loses-suspension") ? [] : [event]
        case .webView(let view, let what): webView(view, what)
        case .transfer(let id, let part): transfer(id, part)
        case .launched, .again, .synced, .timer, .signaturesVerified, .listener, .connection, .upstream,
            .background, .active,
            .inactive, .frozen,
            .push,
            .check,
            .network, .user, .settings, .openLink, .callPage, .nativeMethodReturned, .delivered,
            .handlerAnswer, .routes:
            [event]
        }
    }

    private func webView(_ view: WebViewID, _ what: AppHost.WebViewEvent) -> [AppHost.Event] {
        let event = AppHost.Event.webView(view, what)
        switch what {
        case .webProcessDied:
            if planted("door-loses-web-death") { return [] }
            return planted("door-doubles-web-death") ? [event, event] : [event]
        case .committed(let url):
            if planted("door-shows-early") { return [event, .webView(view, .contentShown)] }
            guard planted("door-confirms-early") else { return [event] }
            let ready = Array(#"{"method":"startupDidComplete"}"#.utf8)
            return [event, .webView(view, .message(ready, documentURL: url))]
        case .navigating, .committedKeepingPrevious, .documentGone, .addressChanged, .contentShown, .loaded,
            .touched, .message,
            .closed:
            return [event]
        }
    }

    private mutating func transfer(_ id: TransferID, _ part: TransferEvent) -> [AppHost.Event] {
        let event = AppHost.Event.transfer(id, part)
        if ended.contains(id) { return [] }
        guard case .bytes = part else { return [event] }
        if planted("door-doubles-bytes") { return [event, event] }
        if troubled(by: "late-bytes") {
            pieces.removeAll { $0.id == id }
            pieces.append((id, event))
            defer { late = [] }
            return [event] + late
        }
        guard planted("door-ends-early") else { return [event] }
        ended.append(id)
        return [event, .transfer(id, .end)]
    }
}

/// What the wrapper knows of the files that this process has open.
struct PlantedFiles: Sendable {
    var open: [(file: FileHandle, path: DiskPath)] = []
    /// The record has been read: what syncs it from here on is a commit, not ST-R0.
    var hasReadRecord = false
    /// The disk has refused what the trouble is about, once in this process.
    var hasRefused = false

    func path(_ file: FileHandle) -> DiskPath? { open.last { $0.file == file }?.path }
}

/// A disk that leaves out one kind of sync, or refuses one call, as the chosen bug or trouble says.
struct PlantedDisk: Disk {
    let below: UnsafeMutablePointer<SimulatedDisk>
    var files: PlantedFiles

    mutating func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> FileHandle {
        if mode == .read, PlantedDisk.isRecord(path) { files.hasReadRecord = true }
        let file = try below.pointee.open(path, mode)
        files.open.append((file, path))
        return file
    }

    mutating func close(_ file: FileHandle) throws(DiskError) {
        if let path = files.path(file), PlantedDisk.isContent(path), troubled(by: "close-fails") {
            refuse(.close, path, .noSpace)
        }
        files.open.removeAll { $0.file == file }
        try below.pointee.close(file)
    }

    /// The effect as it is performed; nil for a sync that is left out and answered with the next event,
    /// which is requested instead.
    mutating func passed(_ effect: AppHost.Effect, _ leftOut: inout [SyncTicket]) -> AppHost.Effect? {
        guard case .sync(let ticket, let target, _) = effect else { return effect }
        let isLeftOut: Bool
        switch target {
        case .file(let file):
            let path = files.path(file)
            isLeftOut = path.map { self.isLeftOut(file: $0) } ?? false
            if let path, PlantedDisk.isContent(path), troubled(by: "sync-fails") {
                refuse(.sync, path, .inputOutput)
            }
        case .directory(let path): isLeftOut = self.isLeftOut(folder: path)
        }
        if isLeftOut { leftOut.append(ticket) }
        return isLeftOut ? .again(.urgent) : effect
    }

    /// The next such call fails, and what it should have kept is lost.
    private mutating func refuse(_ call: DiskCall, _ path: DiskPath, _ code: DiskError.Code) {
        guard !files.hasRefused else { return }
        files.hasRefused = true
        below.pointee.add(DiskFault(call, code, path: path))
    }

    private func isLeftOut(file path: DiskPath) -> Bool {
        if PlantedDisk.isRecord(path) {
            return planted(files.hasReadRecord ? "st-5-unsynced" : "st-r0-record-unsynced")
        }
        if PlantedDisk.isContent(path) { return planted("st-2-unsynced") }
        return path.parent == StorePaths.tables && planted("st-4-table-unsynced")
    }

    private func isLeftOut(folder path: DiskPath) -> Bool {
        switch path {
        case StorePaths.root: planted(files.hasReadRecord ? "st-6-unsynced" : "st-r0-store-unsynced")
        case StorePaths.tables: planted("st-4-folder-unsynced")
        case StorePaths.blobs: planted("st-3-blobs-unsynced")
        default: path.parent == StorePaths.blobs && planted("st-3-folder-unsynced")
        }
    }

    private static func isRecord(_ path: DiskPath) -> Bool {
        path == StorePaths.recordA || path == StorePaths.recordB
    }

    /// A file of a version on its way into the store.
    private static func isContent(_ path: DiskPath) -> Bool {
        path.parent == StorePaths.partial && Digest256(hex: path.name) != nil
    }

    // MARK: Handed on as they are

    mutating func read(_ file: FileHandle, at offset: Int, count: Int) throws(DiskError) -> [UInt8] {
        try below.pointee.read(file, at: offset, count: count)
    }

    mutating func write(_ file: FileHandle, _ bytes: ArraySlice<UInt8>, at offset: Int) throws(DiskError)
        -> Int
    {
        if let path = files.path(file), PlantedDisk.isContent(path), bytes.count > 1, !files.hasRefused,
            troubled(by: "short-writes")
        {
            files.hasRefused = true
            return try below.pointee.write(file, bytes.prefix(bytes.count / 2), at: offset)
        }
        return try below.pointee.write(file, bytes, at: offset)
    }

    mutating func truncate(_ file: FileHandle, to size: Int) throws(DiskError) {
        try below.pointee.truncate(file, to: size)
    }

    mutating func size(_ file: FileHandle) throws(DiskError) -> Int { try below.pointee.size(file) }

    mutating func status(_ path: DiskPath) throws(DiskError) -> FileStatus {
        try below.pointee.status(path)
    }

    mutating func list(_ path: DiskPath) throws(DiskError) -> [String] { try below.pointee.list(path) }

    mutating func makeDirectory(_ path: DiskPath) throws(DiskError) { try below.pointee.makeDirectory(path) }

    mutating func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try below.pointee.rename(source, to: target)
    }

    mutating func remove(_ path: DiskPath) throws(DiskError) { try below.pointee.remove(path) }

    mutating func removeDirectory(_ path: DiskPath) throws(DiskError) {
        try below.pointee.removeDirectory(path)
    }

    mutating func lock(_ path: DiskPath) throws(DiskError) -> FileHandle { try below.pointee.lock(path) }

    mutating func freeSpace(_ volume: Volume) throws(DiskError) -> UntrustedInteger {
        try below.pointee.freeSpace(volume)
    }
}
