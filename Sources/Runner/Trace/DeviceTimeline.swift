import Backend
import AppHost
import Core
import Oracle
import Updater
import World

/// Records the state of one device (screen, record, disk) after every event, as changes from the previous
/// state.
///
/// It reads only what is visible from outside: the screen and the disk. It exists only in runs whose trace is
/// shown, so that other runs are not slower.
package struct DeviceTimeline: Sendable {
    package private(set) var moments: [DeviceMoment] = []
    /// Prefix of every name if a scenario has several devices.
    package var prefix = ""
    /// Limit of recorded moments, for runs that never become idle.
    package static let maxMoments = 20_000

    private var previous: [Item] = []
    private var files: [Item] = []
    private var labels = FileLabels()
    /// Mark of the disk when it was last read.
    private var mark: Int?

    package struct Item: Hashable, Sendable {
        package var part: DeviceMoment.Part
        package var name: String
        package var value: String
    }

    package init() {}

    /// Records the device's current state if it has changed.
    package mutating func record(
        _ world: some Backend, device: Int, _ store: StoreView, names: VersionNames
    ) {
        guard moments.count < DeviceTimeline.maxMoments else { return }
        let mark = world.diskRevision(of: device)
        if mark == nil || mark != self.mark {
            world.withDisk(of: device) { disk in
                labels.update(store.live, names)
                files = DeviceTimeline.files(of: disk, labels)
            }
            self.mark = mark
        }
        let now = screen(world.view(of: device)) + record(store, names) + files
        let changes = differences(to: now)
        previous = now
        guard !changes.isEmpty else { return }
        moments.append(
            DeviceMoment(lastEvent: world.trace.last?.ordinal ?? 0, at: world.now, changes: changes))
    }

    // MARK: - Differences

    /// Both are sorted by name within a part.
    private func differences(to now: [Item]) -> [DeviceMoment.Change] {
        var changes: [DeviceMoment.Change] = []
        for part in DeviceMoment.Part.allCases {
            var old = previous.filter { $0.part == part }[...]
            var new = now.filter { $0.part == part }[...]
            while let next = [old.first?.name, new.first?.name].compactMap(\.self).min() {
                let before = old.first?.name == next ? old.removeFirst().value : nil
                let after = new.first?.name == next ? new.removeFirst().value : nil
                if before != after { changes.append(DeviceMoment.Change(part, prefix + next, after)) }
            }
        }
        return changes
    }

    // MARK: - State

    private func screen(_ view: DeviceView) -> [Item] {
        var app = "not running"
        if view.process != nil {
            app = view.isSuspended ? "suspended" : view.isInForeground ? "in front" : "in the background"
        }
        var values = [("app", app), ("build", view.build), ("network", view.network.rawValue)]
        if view.process != nil {
            values.append(("screen", TraceEventFormatter.shown(view.screen)))
            if let page = view.webViews.first {
                let name = page.running ?? view.running ?? ""
                values.append(("page", (name.isEmpty ? "" : "\(name), ") + page.state.rawValue))
            }
        }
        return items(.screen, values)
    }

    private func record(_ store: StoreView, _ names: VersionNames) -> [Item] {
        guard let record = store.live.record else { return [] }
        var values: [(String, String)] = [
            ("generation", "\(record.generation), \(DeviceTimeline.medium(record, store.durable.record))")
        ]
        for role in record.roles { values.append((role.name, names.name(of: role.key))) }
        if let mark = record.openStart { values.append(("open start", names.name(of: mark.key))) }
        if let download = record.download { values.append(("downloading", names.name(of: download))) }
        let listed = record.blacklist.map { entry in
            var text = names.name(of: entry.key)
            if entry.count > 1 { text += " (\(entry.count) times)" }
            return entry.hasEnded ? text + " (ended)" : text
        }
        values.append(("blacklist", listed.isEmpty ? "empty" : listed.joined(separator: ", ")))
        let kept = record.versions.map { entry in
            names.name(of: entry.key)
                + (entry.confirmations == 0 ? "" : " (confirmed \(entry.confirmations)×)")
        }
        if !kept.isEmpty { values.append(("kept", kept.joined(separator: ", "))) }
        if !record.damaged.isEmpty { values.append(("known damaged", "\(record.damaged.count) files")) }
        return items(.record, values)
    }

    /// Describes what a power cut would leave of the record.
    private static func medium(_ live: RecordImage, _ durable: RecordImage?) -> String {
        guard let durable else { return "nothing synced yet" }
        return durable.generation == live.generation ? "synced" : "\(durable.generation) is synced"
    }

    private static func files(of disk: some ObservableDisk, _ labels: FileLabels) -> [Item] {
        var items: [Item] = []
        for path in disk.files(under: StorePaths.root, in: .live) {
            guard let content = disk.content(of: path, in: .live, isPristine: false) else { continue }
            var parts = ["\(content.size) B"]
            if let label = labels[path.name] { parts.append(label) }
            let pristine = disk.content(of: path, in: .live, isPristine: true)
            if pristine != content { parts.append("damaged") }
            let durable = disk.content(of: path, in: .durable, isPristine: true)
            if durable != pristine { parts.append(durable == nil ? "not synced" : "changes not synced") }
            items.append(
                Item(part: .disk, name: FileLabels.shown(path), value: parts.joined(separator: ", ")))
        }
        return items.sorted { $0.name < $1.name }
    }

    private func items(_ part: DeviceMoment.Part, _ values: [(String, String)]) -> [Item] {
        values.map { Item(part: part, name: $0.0, value: $0.1) }.sorted { $0.name < $1.name }
    }
}

/// Labels of the files in a store by the digests in their names: a route of a version, or a version's table.
private struct FileLabels: Sendable {
    private var labels: [(name: String, label: String)] = []
    private var tables: [VersionKey] = []
    private var download: VersionKey?

    init() {}

    subscript(name: String) -> String? {
        let name = StorePaths.partialName(name[...])
        return labels.first { $0.name == name }?.label
    }

    mutating func update(_ image: StoreImage, _ names: VersionNames) {
        if image.tables.map(\.key) == tables, image.download?.key == download { return }
        tables = image.tables.map(\.key)
        download = image.download?.key
        labels = []
        for table in image.tables {
            let version = names.name(of: table.key)
            add(table.key.digest, "table of \(version)")
            for (asset, stored) in zip(table.table.assets, table.contents) {
                if case .blob(let digest) = stored.location { add(digest, "\(asset.route) of \(version)") }
            }
        }
        guard let table = image.download else { return }
        for asset in table.assets {
            if case .sha256(let digest) = asset.hash {
                add(digest, "\(asset.route) of \(names.name(of: table.key))")
            }
        }
    }

    private mutating func add(_ digest: Digest256, _ label: String) {
        let name = digest.hex
        if !labels.contains(where: { $0.name == name }) { labels.append((name, label)) }
    }

    /// Path below the store with digests cut to eight digits: `blobs/05ca33e6`.
    static func shown(_ path: DiskPath) -> String {
        let inside = path.text.dropFirst(StorePaths.root.text.utf8.count + 1)
        var parts = inside.split(separator: "/").map { part in
            part.utf8.count >= 64 ? String(part.prefix(8)) + String(part.dropFirst(64)) : String(part)
        }
        // In `blobs/05/05ca33e6` the folder `05` adds nothing.
        if parts.count == 3, parts[2].hasPrefix(parts[1]) { parts.remove(at: 1) }
        return parts.joined(separator: "/")
    }
}

extension DeviceMoment.Change {
    private static let recordSlots = [StorePaths.recordA, StorePaths.recordB].map(FileLabels.shown)

    /// Whether it is a change of one of the two files that contain the record.
    package var isRecordSlot: Bool {
        part == .disk
            && DeviceMoment.Change.recordSlots.contains { name == $0 || name.hasSuffix(": \($0)") }
    }
}
