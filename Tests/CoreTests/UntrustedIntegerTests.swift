import ModuleTestSupport
import Testing

@testable import Core

@Suite("Numbers from outside never trap")
struct UntrustedIntegerTests {
    @Test(
        "Digits are read exactly or, where the caller wants it, up to 2⁶³ − 1", arguments: HostileNumber.all)
    func digits(text: String) {
        let exact = HostileNumber.isDigits(text) ? Int64(text).map { UntrustedInteger($0) } : nil
        #expect(UntrustedInteger(digits: text.utf8) == exact)
        let nearest = HostileNumber.value(text).map { UntrustedInteger($0) }
        #expect(UntrustedInteger(saturatingDigits: text.utf8) == nearest)
        if let exact { #expect(exact.description == String(Int64(text) ?? -1)) }
    }

    @Test("A text with a byte that is no digit behind too many digits is no number")
    func tail() {
        for text in ["99999999999999999999x", "9223372036854775808 ", "1\u{0}", "\u{661}", "12/"] {
            #expect(UntrustedInteger(saturatingDigits: text.utf8) == nil, "\(text)")
        }
    }

    @Test("Sums, differences and products stop at the limits of 64 bits", arguments: HostileNumber.integers)
    func arithmetic(left: Int64) {
        for right in HostileNumber.integers + [.min, .max] {
            let (one, other) = (UntrustedInteger(left), UntrustedInteger(right))
            let (wideLeft, wideRight) = (Int128(left), Int128(right))
            #expect(one.adding(other) == UntrustedInteger(wideLeft + wideRight))
            #expect(one.subtracting(other) == UntrustedInteger(wideLeft - wideRight))
            #expect(one.multiplied(by: other) == UntrustedInteger(wideLeft * wideRight))
            #expect((one < other) == (left < right) && (one == other) == (left == right))
        }
        #expect(UntrustedInteger(left).tenth == UntrustedInteger(left / 10))
    }

    @Test("Any integer becomes the nearest one of 64 bits")
    func conversion() {
        #expect(UntrustedInteger(UInt64.max) == .largest && UntrustedInteger(UInt64(7)) == 7)
        #expect(UntrustedInteger(UInt32.max) == 4_294_967_295 && UntrustedInteger(Int8.min) == -128)
    }

    @Test("The plain number is within the bounds", arguments: HostileNumber.integers)
    func bounds(value: Int64) {
        let number = UntrustedInteger(value)
        for upper in [0, 1, 65_535, Int.max] {
            let isWithin = value >= 0 && value <= upper
            #expect(number.bounded(by: 0...upper) == (isWithin ? Int(value) : nil))
            #expect((0...upper).contains(number.clamped(to: 0...upper)))
            if isWithin { #expect(number.clamped(to: 0...upper) == Int(value)) }
        }
        #expect(number.bounded(by: Int64.min...Int64.max) == value)
    }

    @Test("Spans, instants and origin times stop at the limits of 64 bits", arguments: HostileNumber.integers)
    func times(count: Int64) {
        let spans = [
            TimeSpan.microseconds(count), .milliseconds(count), .seconds(count), .minutes(count),
            .hours(count), .days(count),
        ]
        for (span, factor) in zip(spans, [1, 1_000, 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000]) {
            #expect(span.microseconds == Int64(clamping: Int128(count) * Int128(factor)))
        }
        for other in HostileNumber.integers {
            let (sum, difference) = (Int128(count) + Int128(other), Int128(count) - Int128(other))
            let (instant, span) = (Instant(microseconds: count), TimeSpan(microseconds: other))
            #expect((instant + span).microseconds == Int64(clamping: sum))
            #expect((instant - span).microseconds == Int64(clamping: difference))
            #expect((instant - Instant(microseconds: other)).microseconds == Int64(clamping: difference))
            #expect((TimeSpan(microseconds: count) + span).microseconds == Int64(clamping: sum))
            #expect((TimeSpan(microseconds: count) - span).microseconds == Int64(clamping: difference))
            #expect((span * count).microseconds == Int64(clamping: Int128(count) * Int128(other)))
            let time = OriginTime(seconds: count)
            #expect((time + span).seconds == Int64(clamping: Int128(count) + Int128(other / 1_000_000)))
            let apart = (time - OriginTime(seconds: other)).microseconds
            #expect(apart == Int64(clamping: Int128(Int64(clamping: difference)) * 1_000_000))
        }
    }

    @Test("Any origin time has a text", arguments: HostileNumber.integers + [.min, .max])
    func dateTexts(seconds: Int64) {
        let text = ISODate.text(OriginTime(seconds: seconds))
        #expect(text.utf8.count == 20 && ISODate.time(text) != nil, "\(text)")
    }

    @Test("A whole number of JSON is its value, or no whole number", arguments: HostileNumber.all)
    func json(text: String) {
        let root: JSONValue
        do throws(JSONFault) {
            root = try JSONDocument.read(Array("{\"a\":\(text)}".utf8)).root
        } catch {
            #expect(["", "+1", "0x10", "00000000000000000001"].contains(text))
            return
        }
        #expect(root["a"]?.integer == Int64(text).map { UntrustedInteger($0) })
    }
}
