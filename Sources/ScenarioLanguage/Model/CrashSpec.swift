import Core

/// A crash written out: the operation-th disk operation from the begin of a step on is the last one that
/// happens. The rest of the story is left out; the device recovers with a healthy network, and all is asked
/// of it that a search over crash points asks.
package struct CrashSpec: Hashable, Sendable {
    /// From 1.
    package var operation: Spanned<Int>
    package var of: Spanned<CrashOrigin>
    /// Which step with that verb, counted from this step on.
    package var nth: Int
    /// Where the last operation is a write: bytes that it takes; nil: all.
    package var writes: Spanned<Int>?
    package var outcome: Spanned<CrashOutcome>

    package init(
        operation: Spanned<Int>, of: Spanned<CrashOrigin>, nth: Int, writes: Spanned<Int>?,
        outcome: Spanned<CrashOutcome>
    ) {
        self.operation = operation
        self.of = of
        self.nth = nth
        self.writes = writes
        self.outcome = outcome
    }
}

/// From where disk operations are counted.
package enum CrashOrigin: Hashable, Sendable {
    /// The begin of a step with this verb.
    case verb(Verb)
    /// The launch that follows the crash before.
    case recovery

    static let recoveryKeyword = "recovery"

    package var keyword: String {
        switch self {
        case .verb(let verb): verb.rawValue
        case .recovery: CrashOrigin.recoveryKeyword
        }
    }

    init?(keyword: String) {
        if keyword == CrashOrigin.recoveryKeyword {
            self = .recovery
        } else {
            guard let verb = Verb(rawValue: keyword) else { return nil }
            self = .verb(verb)
        }
    }
}

/// What the device has when it starts again.
package enum CrashOutcome: Hashable, Sendable {
    /// The process died; the page cache lives on.
    case kill
    /// The power went: of the operations that were not durable these survived, in program order.
    case powerCut([Bool])
    /// The power went and everything survived, but this write left a torn block.
    case torn(Int)

    /// `kill`, `torn 4`, or the survivors as a hexadecimal number whose lowest bit is the first operation.
    package var text: String {
        switch self {
        case .kill: return "kill"
        case .torn(let index): return "torn \(index)"
        case .powerCut(let survivors):
            var digits = ""
            for start in stride(from: 0, to: survivors.count, by: 4) {
                let nibble = survivors[start..<min(start + 4, survivors.count)]
                let value = nibble.enumerated().reduce(0) { $1.element ? $0 | 1 << $1.offset : $0 }
                digits = String(value, radix: 16) + digits
            }
            let kept = digits.drop { $0 == "0" }
            return kept.isEmpty ? "0" : String(kept)
        }
    }

    /// Nil for anything else than ``text`` writes.
    package init?(text: String) {
        if text == "kill" {
            self = .kill
        } else if text.hasPrefix("torn ") {
            guard let index = Int(text.dropFirst(5)), index >= 0 else { return nil }
            self = .torn(index)
        } else {
            guard !text.isEmpty else { return nil }
            var survivors: [Bool] = []
            for digit in text.reversed() {
                guard let value = digit.hexDigitValue, !digit.isUppercase else { return nil }
                for bit in 0..<4 { survivors.append(value & 1 << bit != 0) }
            }
            while survivors.last == false { survivors.removeLast() }
            self = .powerCut(survivors)
        }
    }
}

extension Step {
    /// A step that says a crash.
    package init(crash: CrashSpec) {
        let span = crash.operation.span
        self.init(
            verb: .crash, action: .crash(crash), trigger: nil, device: nil, name: nil, because: nil,
            crashPoints: nil,
            anyOrder: [], span: span, verbSpan: span)
    }
}
