import Core

/// A crash in a scenario: the disk operation with this ordinal from the beginning of a step is the last one
/// that happens. The remaining steps are left out; the device recovers with a healthy network, and the same
/// is expected of it as in a search over crash points.
package struct CrashSpec: Hashable, Sendable {
    /// Ordinal of the last disk operation, from 1.
    package var operation: Spanned<Int>
    /// From where operations are counted.
    package var of: Spanned<CrashOrigin>
    /// Ordinal of the step with that verb, from this step on.
    package var nth: Int
    /// Bytes that the last operation writes, if it is a write; nil for all.
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
    /// The beginning of a step with this verb.
    case verb(Verb)
    /// The launch after the previous crash.
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

/// What is on the disk when the device starts again.
package enum CrashOutcome: Hashable, Sendable {
    /// The process was killed; the page cache remains.
    case kill
    /// The power was cut: whether each operation that was not durable survived, in program order.
    case powerCut([Bool])
    /// The power was cut and everything survived, but the write with this index left a torn block.
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

    /// Parses the form of ``text``; nil for anything else.
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
    /// A step with a crash.
    package init(crash: CrashSpec) {
        self.init(action: .crash(crash))
        (span, verbSpan) = (crash.operation.span, crash.operation.span)
    }
}
