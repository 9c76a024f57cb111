import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A peer that sends exactly the bytes of a test over a real socket of the loopback; every wait has a limit.
final class RawClient {
    private let descriptor: Int32
    private(set) var heard: [UInt8] = []

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// - Parameters:
    ///   - host: the last number of an address 127.0.0.n.
    ///   - segment: the largest TCP segment.
    ///   - patience: seconds that a read waits.
    init(
        port: UInt16, receiveBuffer: Int32? = nil, segment: Int32? = nil, host: UInt32 = 1, patience: Int = 10
    ) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        if let receiveBuffer { DescriptorFacts.setReceiveBuffer(descriptor, bytes: receiveBuffer) }
        if var size = segment {
            setsockopt(
                descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (UInt32(0x7f00_0000) + host).bigEndian
        let answer = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard answer == 0 else { throw Failure(description: "no connection to \(port): errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// - Returns: the bytes the system took; less than all when the peer does not read.
    @discardableResult
    func say(_ text: String) -> Int { say(Array(text.utf8)) }

    @discardableResult
    func say(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            #if canImport(Darwin)
                let flags: Int32 = 0
            #else
                let flags = Int32(MSG_NOSIGNAL)
            #endif
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            if count <= 0 { return sent }
            sent += count
        }
        return sent
    }

    func endSaying() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes as a killed process does, without reading the waiting bytes.
    func reset() {
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    }

    /// One read. Nil: the peer is done.
    private func listen() throws -> ArraySlice<UInt8>? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 {
            if errno == ECONNRESET { return nil }
            throw Failure(description: "nothing came for 10 s")
        }
        return count == 0 ? nil : buffer[..<count]
    }

    /// Result of one read, after a short wait.
    func hearOnce() throws -> [UInt8] { try listen().map { Array($0) } ?? [] }

    /// All bytes until the peer closes, resets or pauses, and which of these it was.
    func hearToEnd(atMost count: Int) -> (bytes: [UInt8], end: String) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while heard.count < count {
            let length = recv(descriptor, &buffer, buffer.count, 0)
            if length == 0 { return (heard, "closed") }
            if length < 0 { return (heard, errno == ECONNRESET ? "reset" : "nothing") }
            heard += buffer[..<length]
        }
        return (heard, "more")
    }

    /// All bytes until the peer closes.
    func hearAll() throws -> [UInt8] {
        while let bytes = try listen() { heard += bytes }
        defer { heard = [] }
        return heard
    }

    struct Answer {
        var status: Int
        var head: String
        var body: [UInt8]

        func field(_ name: String) -> String? {
            for line in head.components(separatedBy: "\r\n") {
                guard line.lowercased().hasPrefix(name.lowercased() + ":") else { continue }
                return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            }
            return nil
        }
    }

    /// The next answer, by its `Content-Length`; nil when the peer closed before it was whole.
    func answer(toHead isHead: Bool = false) throws -> Answer? {
        let mark = Array("\r\n\r\n".utf8)
        while true {
            if let end = heard.firstRange(of: mark) {
                let head = String(decoding: heard[..<end.lowerBound], as: UTF8.self)
                let status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
                var answer = Answer(status: status, head: head, body: [])
                let length = isHead ? 0 : Int(answer.field("Content-Length") ?? "0") ?? 0
                if heard.count >= end.upperBound + length {
                    answer.body = Array(heard[end.upperBound..<(end.upperBound + length)])
                    heard.removeFirst(end.upperBound + length)
                    return answer
                }
            }
            guard let bytes = try listen() else { return nil }
            heard += bytes
        }
    }
}
