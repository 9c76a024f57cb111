import Core
import Testing

@testable import HTTP1

/// Bytes of messages, good ones and broken ones, cut at every place.
@Suite("How the bytes are cut never changes what is read")
struct CuttingTests {
    static let requests = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\nPOST /x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\nhello world"
            + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5;a=\"b\"\r\nhello\r\n0\r\nX: y\r\n\r\n"
            + "GET /3 HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \n\r\n", "GET / HTTP/1.1\rX",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhellox\r\n",
        "GET /\(String(repeating: "a", count: 100)) HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nY: \(String(repeating: "b", count: 90))\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc",
    ]

    static let responses = [
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 304\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            + "HTTP/1.0 200 \r\n\r\nuntil close",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
            + "HTTP/1.1 200 OK\r\n\r\n",
    ]

    static let limits = HTTPLimits(startLine: 60, fieldLine: 60, fieldBlock: 120)

    /// Neighbouring pieces of body are one: where they are cut is free.
    static func joined(_ events: [RequestParser.Event]) -> [RequestParser.Event] {
        var joined: [RequestParser.Event] = []
        for event in events {
            if case .body(let more) = event, case .body(let bytes) = joined.last {
                joined[joined.count - 1] = .body(bytes + more)
            } else {
                joined.append(event)
            }
        }
        return joined
    }

    static func joined(_ events: [ResponseParser.Event]) -> [ResponseParser.Event] {
        var joined: [ResponseParser.Event] = []
        for event in events {
            if case .body(let more) = event, case .body(let bytes) = joined.last {
                joined[joined.count - 1] = .body(bytes + more)
            } else {
                joined.append(event)
            }
        }
        return joined
    }

    @Test("Requests: byte by byte, and cut in two at every place", arguments: requests)
    func requestsCut(text: String) {
        let bytes = Array(text.utf8)
        var whole = RequestParser(limits: CuttingTests.limits)
        let expected = CuttingTests.joined(whole.feed(bytes))
        #expect(!expected.isEmpty)
        var single = RequestParser(limits: CuttingTests.limits)
        var events: [RequestParser.Event] = []
        for byte in bytes { events += single.feed([byte]) }
        #expect(CuttingTests.joined(events) == expected)
        #expect(single == whole)
        for cut in 0...bytes.count {
            var parser = RequestParser(limits: CuttingTests.limits)
            let first = parser.feed(bytes[..<cut])
            var copy = parser
            let second = parser.feed(bytes[cut...])
            #expect(CuttingTests.joined(first + second) == expected)
            #expect(copy.feed(bytes[cut...]) == second, "a copy reads on as the original does")
        }
    }

    @Test("Responses: byte by byte, and cut in two at every place", arguments: responses)
    func responsesCut(text: String) {
        let bytes = Array(text.utf8)
        var fresh = ResponseParser()
        for method in [RequestMethod.get, .get, .head] { fresh.expect(method) }
        var whole = fresh
        let expected = CuttingTests.joined(whole.feed(bytes) + [whole.close()].compactMap { $0 })
        #expect(!expected.isEmpty)
        for cut in 0...bytes.count {
            var parser = fresh
            var events = parser.feed(bytes[..<cut]) + parser.feed(bytes[cut...])
            events += [parser.close()].compactMap { $0 }
            #expect(CuttingTests.joined(events) == expected)
        }
        var single = fresh
        var events: [ResponseParser.Event] = []
        for byte in bytes { events += single.feed([byte]) }
        #expect(CuttingTests.joined(events + [single.close()].compactMap { $0 }) == expected)
    }

    @Test("Twenty thousand mutilated requests never crash, and end in the same events however they are cut")
    func mutilated() {
        var choice = KeyedHash(key: KeyedHash.Key(low: 3, high: 5))
        for round in 0..<20_000 {
            choice.update(UInt64(round))
            let word = choice.finish()
            var bytes = Array(CuttingTests.requests[Int(word % UInt64(CuttingTests.requests.count))].utf8)
            let place = Int(word >> 8 % UInt64(bytes.count))
            let odd: [UInt8] = [0, 9, 10, 13, 32, 58, 59, 255]
            switch word >> 40 & 3 {
            case 0: bytes[place] = odd[Int(word >> 48 & 7)]
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(odd[Int(word >> 48 & 7)], at: place)
            default: bytes[place] ^= 1 << UInt8(word >> 48 & 7)
            }
            var whole = RequestParser(limits: CuttingTests.limits)
            var cut = whole
            let expected = CuttingTests.joined(whole.feed(bytes))
            let events = cut.feed(bytes[..<place]) + cut.feed(bytes[place...])
            guard CuttingTests.joined(events) == expected else {
                Issue.record("cut at \(place): \(String(decoding: bytes, as: UTF8.self))")
                return
            }
        }
    }
}
