/// One system call of a recorded process, as `strace` writes it.
package struct SystemCall: Sendable {
    /// An argument, or a part of one.
    package enum Argument: Sendable {
        /// A string; `isWhole` is false where the recorder has cut it.
        case text([UInt8], isWhole: Bool)
        /// A number, a flag or a constant; for a descriptor also the path that the system knows it by.
        case word(String, path: [UInt8]?)
        case list([Argument])
        case structure([(name: String, value: Argument)])

        /// Whether a flag is in it, or in a part of it.
        package func mentions(_ flag: String) -> Bool {
            switch self {
            case .text: false
            case .word(let word, _): word.contains(flag)
            case .list(let parts): parts.contains { $0.mentions(flag) }
            case .structure(let fields): fields.contains { $0.value.mentions(flag) }
            }
        }
    }

    /// Id of the thread.
    package var thread: Int
    /// Microseconds since 1970 when it began.
    package var at: Int64
    package var name: String
    package var arguments: [Argument]
    /// Number of calls that had ended when it began.
    package var begunAfter = 0
    /// What it returned; nil: the process ended in it.
    package var result: Int64?
    /// The path that the system knows a returned descriptor by.
    package var resultPath: [UInt8]?

    package var hasFailed: Bool { result.map { $0 < 0 } ?? false }

    package func word(_ index: Int) -> String {
        guard arguments.indices.contains(index), case .word(let word, _) = arguments[index] else { return "" }
        return word
    }

    package func number(_ index: Int) -> Int64? { SystemCall.number(word(index)) }

    /// The number that a pointer points at, as it was when the call began; nil: a null pointer.
    package func pointedNumber(_ index: Int) -> Int64? {
        guard arguments.indices.contains(index), case .list(let parts) = arguments[index],
            case .word(let word, _)? = parts.first
        else { return nil }
        return SystemCall.number(word)
    }

    package func path(_ index: Int) -> [UInt8]? {
        guard arguments.indices.contains(index), case .word(_, let path) = arguments[index] else {
            return nil
        }
        return path
    }

    package func text(_ index: Int) -> [UInt8]? {
        guard arguments.indices.contains(index), case .text(let bytes, _) = arguments[index] else {
            return nil
        }
        return bytes
    }

    package func has(_ flag: String, in index: Int) -> Bool {
        word(index).split(separator: "|").contains { $0 == flag }
    }

    static func number(_ text: some StringProtocol) -> Int64? {
        text.hasPrefix("0x")
            ? UInt64(text.dropFirst(2), radix: 16).map { Int64(bitPattern: $0) } : Int64(text)
    }
}
