import Core
import Foundation
import Synchronization
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("Addresses of sockets, and names")
struct SocketAddressTests {
    private func bytes(_ address: SocketAddress) -> [UInt8] {
        address.withPointer { pointer, size in
            Array(UnsafeRawBufferPointer(start: pointer, count: Int(size)))
        }
    }

    @Test("The loopback addresses, with their port in the order of the network")
    func loopback() {
        let four = SocketAddress.loopback4(port: 0x1234)
        #expect(four.family == AF_INET && four.text == "127.0.0.1")
        #expect(bytes(four).count == MemoryLayout<sockaddr_in>.size)
        #expect(Array(bytes(four)[2..<8]) == [0x12, 0x34, 127, 0, 0, 1])
        let six = SocketAddress.loopback6(port: 0x1234)
        #expect(six.family == AF_INET6 && six.text == "::1")
        #expect(bytes(six).count == MemoryLayout<sockaddr_in6>.size)
        #expect(Array(bytes(six)[2..<4]) == [0x12, 0x34])
        #expect(Array(bytes(six)[8..<24]) == [UInt8](repeating: 0, count: 15) + [1])
    }

    @Test(
        "A numeric address is read; a name is none, and is not looked up",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("0.0.0.0", "0.0.0.0"), ("fe80::1", "fe80::1"),
            ("localhost", nil), ("127.0.0.1:80", nil), ("no-such-host.invalid", nil),
        ] as [(String, String?)])
    func numeric(text: String, expected: String?) {
        let address = SocketAddress(numeric: text, port: 0x4321)
        #expect(address?.text == expected)
        if let address { #expect(Array(bytes(address)[2..<4]) == [0x43, 0x21]) }
    }

    @Test("An address of a family that has no text says so")
    func unknown() {
        var storage = sockaddr_storage()
        storage.ss_family = 255
        let address = withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                SocketAddress($0, size: socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(address.text == "?")
    }

    private final class Answers: Sendable {
        let all = Mutex<[[String]]>([])
    }

    /// What the resolver answers, on its thread.
    private func resolved(_ host: String) -> [[String]] {
        let answers = Answers()
        let isDone = DispatchSemaphore(value: 0)
        NameResolver.resolve(host, port: 0x1111) { addresses in
            answers.all.withLock { $0.append(addresses.map(\.text)) }
            isDone.signal()
        }
        guard isDone.wait(timeout: .now() + 30) == .success else { return [] }
        return answers.all.withLock { $0 }
    }

    @Test("A name is answered once, with each of its addresses once; an unknown one with none")
    func names() {
        #expect(resolved("127.0.0.1") == [["127.0.0.1"]])
        #expect(resolved("::1") == [["::1"]])
        #expect(resolved("no-such-host.invalid") == [[]])
        let local = resolved("localhost")
        #expect(local.count == 1 && local.first?.isEmpty == false)
    }
}
