import Foundation
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Ten thousand hostile peers at once.
@Suite("A flood over real sockets", .serialized)
struct FloodTests {
    private static let wanted = 10_000

    /// Peers that this process may have descriptors for: its limit is raised to the system's maximum.
    private static func room() -> Int {
        var limit = rlimit()
        #if canImport(Darwin)
            let files = RLIMIT_NOFILE
        #else
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        getrlimit(files, &limit)
        let soft = min(limit.rlim_max, rlim_t(wanted + 2_000))
        if limit.rlim_cur < soft {
            limit.rlim_cur = soft
            setrlimit(files, &limit)
            getrlimit(files, &limit)
        }
        // The server's own, the suite's, and some to spare.
        return min(wanted, Int(min(limit.rlim_cur, 1 << 20)) - 1_000)
    }

    private static func attempt(_ port: UInt16) -> Int32? {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let answer = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard answer == 0 || errno == EINPROGRESS else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Bytes of one peer: none, half a head, garbage, an unauthorized request, an endless head.
    private static let says = [
        "", "GET / HTTP/1.1\r\nHost: localh", "\u{16}\u{3}\u{1}\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 2_000),
    ]

    @Test("Ten thousand connections at once: a page keeps loading over old and new connections (HT-T3)")
    func flood() throws {
        let app = try RealApp(embeds: AppLoopTests.files)
        try app.launch()
        let (cookie, _, _) = try app.start()
        let kept = try RawClient(port: app.port)
        // Before it has sent the key it is like the others.
        kept.say(app.request("/app.js", cookie: cookie))
        #expect(try kept.answer()?.status == 200)
        let room = FloodTests.room()
        var crowd: [Int32] = []
        var answered = 0
        let begin = DispatchTime.now().uptimeNanoseconds
        for number in 0..<room {
            guard let peer = FloodTests.attempt(app.port) else { break }
            crowd.append(peer)
            let words = Array(FloodTests.says[number % FloodTests.says.count].utf8)
            #if canImport(Darwin)
                _ = send(peer, words, words.count, 0)
            #else
                _ = send(peer, words, words.count, Int32(MSG_NOSIGNAL))
            #endif
            guard number % 500 == 250 else { continue }
            kept.say(app.request("/app.js", cookie: cookie))
            #expect(try kept.answer()?.body == AppLoopTests.files[1].bytes)
            let new = try RawClient(port: app.port)
            new.say(app.request("/app.js", cookie: cookie, more: "Connection: close\r\n"))
            #expect(try new.answer()?.body == AppLoopTests.files[1].bytes)
            answered += 2
        }
        let (_, document, _) = try app.start()
        #expect(document.body == AppLoopTests.files[0].bytes)
        let milliseconds = (DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000
        for peer in crowd { close(peer) }
        #expect(crowd.count == room, "the system gave descriptors for \(crowd.count) peers only")
        #expect(room >= 1_000 && answered >= room / 500 * 2 - 2)
        print("\(crowd.count) connections attempted, \(answered) answers meanwhile, in \(milliseconds) ms")
        kept.say(app.request("/large.bin", cookie: cookie))
        #expect(try kept.answer()?.body == AppLoopTests.large)
    }
}
