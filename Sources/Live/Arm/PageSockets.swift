import Core
import DeviceShell
import LocalServer

/// The page's ends of its connections to the app's server: what the world's page says goes out on real
/// sockets of the loopback, and what the real server answers comes back in the order it came.
struct PageSockets {
    enum Event {
        case received(ConnectionID, [UInt8])
        /// The server will say nothing more.
        case closed(ConnectionID)
    }

    let poller: Poller
    private var lines: [ConnectionID: Line] = [:]
    private var ids: [Int32: ConnectionID] = [:]
    private var events: [Event] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    private struct Line {
        let descriptor: Int32
        /// Not sent yet.
        var output: [UInt8] = []
    }

    init() throws(PortError) {
        do throws(SystemError) {
            poller = try Poller()
        } catch {
            throw .system(error.number)
        }
    }

    mutating func open(_ id: ConnectionID, port: UInt16) {
        do throws(SystemError) {
            let descriptor = try SocketCalls.connect(to: .loopback4(port: port))
            lines[id] = Line(descriptor: descriptor)
            ids[descriptor] = id
            try poller.watch(descriptor, .reads)
        } catch {
            lost(id)
        }
    }

    mutating func send(_ bytes: [UInt8], on id: ConnectionID) {
        lines[id]?.output += bytes
        flush(id)
    }

    mutating func close(_ id: ConnectionID) {
        guard let line = lines.removeValue(forKey: id) else { return }
        ids[line.descriptor] = nil
        poller.forget(line.descriptor)
        SocketCalls.close(line.descriptor)
    }

    mutating func closeAll() {
        for id in lines.keys.sorted() { close(id) }
        events = []
    }

    /// What has come by now; does not wait.
    mutating func take() throws(PortError) -> [Event] {
        do throws(SystemError) {
            for ready in try poller.wait(.zero) {
                guard let id = ids[ready.descriptor] else { continue }
                if ready.canWrite { flush(id) }
                if ready.canRead { receive(id) }
            }
        } catch {
            throw .system(error.number)
        }
        defer { events = [] }
        return events
    }

    private mutating func receive(_ id: ConnectionID) {
        guard let line = lines[id] else { return }
        do throws(SystemError) {
            guard let count = try SocketCalls.receive(line.descriptor, into: &buffer) else { return }
            if count == 0 { return lost(id) }
            events.append(.received(id, Array(buffer[..<count])))
        } catch {
            lost(id)
        }
    }

    private mutating func flush(_ id: ConnectionID) {
        guard var line = lines[id] else { return }
        do throws(SystemError) {
            while !line.output.isEmpty {
                guard let count = try SocketCalls.send(line.descriptor, line.output[...], isFollowed: false)
                else { break }
                line.output.removeFirst(count)
            }
            lines[id] = line
            try poller.watch(line.descriptor, line.output.isEmpty ? .reads : [.reads, .writes])
        } catch {
            lost(id)
        }
    }

    private mutating func lost(_ id: ConnectionID) {
        close(id)
        events.append(.closed(id))
    }
}
