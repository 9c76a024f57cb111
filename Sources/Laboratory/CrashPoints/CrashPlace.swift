import Core
import ScenarioLanguage
import World

/// Where a crash happens and what it leaves, so that a scenario can say it: the n-th disk operation from
/// the begin of a step on is the last one that happens.
public struct CrashPlace: Hashable, Sendable {
    public enum Origin: Hashable, Sendable {
        /// The nth step that begins with this verb, counted from 1 over the whole story.
        case step(Verb, nth: Int)
        /// The launch that follows the crash before.
        case recovery
    }

    public var of: Origin
    /// From 1.
    public var operation: Int
    /// Where the last operation is a write: it takes so many bytes; nil: all.
    public var writes: Int?
    public var outcome: CrashOutcome

    public init(of origin: Origin, operation: Int, writes: Int? = nil, outcome: CrashOutcome) {
        of = origin
        self.operation = operation
        self.writes = writes
        self.outcome = outcome
    }
}

/// What the device has when it starts again.
public enum CrashOutcome: Hashable, Sendable {
    /// The process died; the page cache lives on.
    case kill
    /// The power went: of the operations that were not durable these survived, in program order.
    case powerCut([Bool])
    /// The power went and everything survived, but this write left a torn block.
    case torn(Int)

    /// `kill`, `torn 4`, or the survivors as a hexadecimal number whose lowest bit is the first operation.
    public var text: String {
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
    public init?(text: String) {
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

    var action: WorldAction {
        switch self {
        case .kill: .kill(.system)
        case .powerCut(let survivors): .powerCut(.these(survivors.indices.filter { survivors[$0] }))
        case .torn(let index): .powerCut(.torn(index))
        }
    }
}

extension CrashPlace: CustomStringConvertible {
    public var description: String {
        let begin =
            switch of {
            case .recovery: "of the launch after it"
            case .step(let verb, let nth): nth == 1 ? "of \(verb.rawValue)" : "of \(verb.rawValue) no. \(nth)"
            }
        let end =
            switch outcome {
            case .kill: "kill"
            case .powerCut, .torn: "power cut \(outcome.text)"
            }
        let cut = writes.map { ", \($0) bytes of it" } ?? ""
        return "operation \(operation) \(begin)\(cut): \(end)"
    }
}
