import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater

/// What a device has come to when a run is over and nothing is under way: what two runs that differ in
/// nothing that matters must agree about.
///
/// Deliberately not here: times, counts of requests and starts, the log, content of versions that are not
/// kept.
struct EndState: Hashable, Sendable {
    /// Names and values, in a fixed order.
    private(set) var parts: [Part] = []

    struct Part: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// - Parameter routes: other names of routes, by which they are called in the state.
    init<RunBackend: Backend>(_ run: ScenarioRun<RunBackend>, routes: [(from: String, to: String)] = []) {
        for device in 0..<run.deviceCount {
            let names = run.plan.scenario.devices.map(\.name.value)
            let prefix = names.count > 1 ? names[device] + ": " : ""
            add(run.observer(of: device), run.backend, prefix, routes)
        }
    }

    private mutating func add(
        _ observer: RunObserver, _ backend: some Backend, _ prefix: String,
        _ routes: [(from: String, to: String)]
    ) {
        let names = observer.observed.names
        func add(_ name: String, _ value: String) { parts.append(Part(name: prefix + name, value: value)) }
        let reached = observer.reached(in: backend)
        add("running", reached.version.map { $0 + (reached.isConfirmed ? ", confirmed" : "") } ?? "none")
        guard let record = observer.view.live.record else { return add("record", "none") }
        add("current", names.name(of: record.current))
        add("pending", names.name(of: record.pending))
        add("last known good", names.name(of: record.lastKnownGood))
        add("parked", names.name(of: record.parked))
        let listed = record.blacklist.filter { !$0.hasEnded }.map { names.name(of: $0.key) }
        add("blacklist", listed.isEmpty ? "empty" : listed.sorted().joined(separator: ", "))
        add("download", names.name(of: record.download))
        // A version without a role is removed at some later moment: at a process start, after a check (R7).
        let needed = record.versions.map(\.key).filter { key in record.roles.contains { $0.key == key } }
        add("kept", needed.map { names.name(of: $0) }.sorted().joined(separator: ", "))
        let kept = observer.view.live.tables.filter { needed.contains($0.key) }
        for table in kept.sorted(by: { names.name(of: $0.key) < names.name(of: $1.key) }) {
            let files = zip(table.table.assets, table.contents).map { asset, content in
                let route = routes.first { $0.from == asset.route }?.to ?? asset.route
                switch content.location {
                case .blob(let digest): return route + (observer.view.live.blob(digest) == nil ? " lost" : "")
                case .package: return route
                case .absent: return route + " absent"
                }
            }
            add("files of \(names.name(of: table.key))", files.sorted().joined(separator: ", "))
        }
    }

    /// The first part that differs, with both values.
    func firstDifference(from other: EndState) -> (name: String, own: String, other: String)? {
        for part in parts {
            let value = other.parts.first { $0.name == part.name }?.value ?? "none"
            if value != part.value { return (part.name, part.value, value) }
        }
        let extra = other.parts.first { part in !parts.contains { $0.name == part.name } }
        return extra.map { ($0.name, "none", $0.value) }
    }
}
