import AppHost
import Core
import Foundation
import Synchronization
import Updater

@testable import DeviceShell

/// What a scripted host got, and the time of its loop.
final class EventRecord: DeviceClock {
    private struct Time {
        var now = Instant.zero
        /// Number of times it was read since ``jump(_:at:)``.
        var readings = 0
        var jump: (span: TimeSpan, reading: Int)?
    }

    private let time = Mutex(Time())
    private let events = Mutex<[AppHost.Event]>([])

    var now: Instant {
        time.withLock { time in
            time.readings += 1
            if let jump = time.jump, jump.reading == time.readings { time.now = time.now + jump.span }
            return time.now
        }
    }
    var readings: Int { time.withLock { $0.readings } }
    var all: [AppHost.Event] { events.withLock { $0 } }
    var fired: [AppHost.TimerName] { all.compactMap { if case .timer(let name) = $0 { name } else { nil } } }
    var synced: [AppHost.Event] { all.filter { if case .synced = $0 { true } else { false } } }

    func append(_ event: AppHost.Event) { events.withLock { $0.append(event) } }

    /// Lets time pass at once, also within a step.
    func passing(_ span: TimeSpan) -> [AppHost.Effect] {
        time.withLock { $0.now = $0.now + span }
        return []
    }

    /// Lets time pass just before a later reading, the first of which is 1.
    func jump(_ span: TimeSpan, at reading: Int) {
        time.withLock { time in
            time.readings = 0
            time.jump = (span, reading)
        }
    }
}

/// Answers events as a test says, and records them.
struct ScriptedHost: HostedApp {
    let record: EventRecord
    let script: @Sendable (AppHost.Event) -> [AppHost.Effect]

    mutating func handle(_ event: AppHost.Event, at now: Instant, disk: inout some Disk) -> [AppHost.Effect] {
        record.append(event)
        return script(event)
    }
}

extension AppLoop {
    /// A loop of a scripted host whose time is that of its record.
    static func scripted(
        _ record: EventRecord, _ script: @escaping @Sendable (AppHost.Event) -> [AppHost.Effect]
    ) throws -> AppLoop {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "otalab-loop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try AppLoop(
            PosixDisk(data: folder.path), ScriptedHost(record: record, script: script), clock: record)
    }
}

extension AppHost.Event {
    /// A part of a response, of one byte.
    static func part(_ byte: UInt8) -> AppHost.Event { .transfer(TransferID(1), .bytes([byte])) }
}
