/// Reads what `strace -f -ttt -xx -y` writes: one call a line, strings in hexadecimal, descriptors with their
/// paths.
///
/// Promises: calls come in the order in which they ended; a call whose lines others interrupt is one call; a
/// line that is none (a signal, an exit) is left out. Lines that can't be read are left out and kept
/// (``unreadable``). Deliberately not here: what a call means.
package struct SystemCallReader: Sendable {
    package private(set) var unreadable: [String] = []
    /// Beginnings of calls that have not ended, by thread.
    private var begun: [(thread: Int, at: Int64, after: Int, text: ArraySlice<UInt8>)] = []
    private var ended = 0

    package init() {}

    /// - Parameter bytes: the whole recording.
    package mutating func read(_ bytes: [UInt8]) -> [SystemCall] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let call = call(in: line)
            if call != nil { ended += 1 }
            return call
        }
    }

    private mutating func call(in bytes: ArraySlice<UInt8>) -> SystemCall? {
        var line = LineCursor(bytes)
        guard let thread = line.number(), let seconds = line.number(), line.take("."),
            let fraction = line.number()
        else { return refuse(bytes) }
        line.skipBlanks()
        let at = seconds * 1_000_000 + fraction
        if line.starts(with: "+++") || line.starts(with: "---") { return nil }
        let unfinished = Array(" <unfinished ...>".utf8)
        if line.rest.suffix(unfinished.count).elementsEqual(unfinished) {
            begun.append((Int(thread), at, ended, line.rest.dropLast(unfinished.count)))
            return nil
        }
        var text = line.rest
        var startedAt = at
        var begunAfter = ended
        if line.take("<... ") {
            guard let end = line.position(after: " resumed>"),
                let index = begun.firstIndex(where: { $0.thread == Int(thread) })
            else { return refuse(bytes) }
            let beginning = begun.remove(at: index)
            startedAt = beginning.at
            begunAfter = beginning.after
            text = (Array(beginning.text) + line.rest[end...])[...]
        }
        guard var call = SystemCallReader.call(text, thread: Int(thread), at: startedAt) else {
            return refuse(bytes)
        }
        call.begunAfter = begunAfter
        return call
    }

    private mutating func refuse(_ line: ArraySlice<UInt8>) -> SystemCall? {
        unreadable.append(String(decoding: line.prefix(1_000), as: UTF8.self))
        return nil
    }

    private static func call(_ text: ArraySlice<UInt8>, thread: Int, at: Int64) -> SystemCall? {
        var line = LineCursor(text)
        let name = line.name()
        guard !name.isEmpty, line.take("("), let arguments = line.arguments(until: ")") else { return nil }
        line.skipBlanks()
        guard line.take("=") else { return nil }
        line.skipBlanks()
        guard case .word(let result, let path)? = line.argument() else { return nil }
        return SystemCall(
            thread: thread, at: at, name: name, arguments: arguments,
            result: SystemCall.number(result), resultPath: path)
    }
}

/// A position in a line.
private struct LineCursor {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func skipBlanks() { rest = rest.drop { $0 == UInt8(ascii: " ") } }

    func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { rest.starts(with: $0) }
    }

    mutating func take(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        rest = rest.dropFirst(text.utf8CodeUnitCount)
        return true
    }

    /// The position behind a text.
    func position(after text: String) -> Int? {
        let wanted = Array(text.utf8)
        return rest.indices.first { rest[$0...].starts(with: wanted) }.map { $0 + wanted.count }
    }

    mutating func number() -> Int64? {
        skipBlanks()
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    mutating func name() -> String {
        let letters = rest.prefix { $0 != UInt8(ascii: "(") }
        rest = rest.dropFirst(letters.count)
        return String(decoding: letters, as: UTF8.self)
    }

    /// Arguments up to a closing bracket, which is taken too; nil: the line is not of this form.
    mutating func arguments(until end: StaticString) -> [SystemCall.Argument]? {
        var arguments: [SystemCall.Argument] = []
        while true {
            skipBlanks()
            if take(end) { return arguments }
            if take(",") { continue }
            // A structure or list that the call has changed: `{before} => {after}`.
            if take("=>") {
                guard argument() != nil else { return nil }
                continue
            }
            guard let argument = argument() else { return nil }
            arguments.append(argument)
        }
    }

    mutating func argument() -> SystemCall.Argument? {
        skipBlanks()
        if take("\"") { return string() }
        if take("[") { return arguments(until: "]").map { .list($0) } }
        if take("{") { return structure() }
        let word = rest.prefix { byte in
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"),
                UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "<"), UInt8(ascii: "("),
                UInt8(ascii: "\""), UInt8(ascii: " "):
                false
            default: true
            }
        }
        guard !word.isEmpty else { return nil }
        rest = rest.dropFirst(word.count)
        var text = String(decoding: word, as: UTF8.self)
        // An argument that is written with its name.
        if text.hasSuffix("="), starts(with: "[") || starts(with: "{") || starts(with: "\"") {
            return argument()
        }
        // A macro with arguments, or a comment behind a number.
        if take("(") {
            guard arguments(until: ")") != nil else { return nil }
            text += "()"
        }
        var path: [UInt8]?
        if take("<") {
            path = hexadecimal(until: UInt8(ascii: ">"))
            _ = take("(deleted)")
        }
        skipBlanks()
        if take("/* ") {
            guard let end = position(after: "*/") else { return nil }
            rest = rest[end...]
        }
        return .word(text, path: path)
    }

    private mutating func structure() -> SystemCall.Argument? {
        var fields: [(name: String, value: SystemCall.Argument)] = []
        while true {
            skipBlanks()
            if take("}") { return .structure(fields) }
            if take(",") || take("...") { continue }
            let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "}") }
            rest = rest.dropFirst(name.count)
            guard take("=") else { continue }
            guard let value = argument() else { return nil }
            fields.append((String(decoding: name, as: UTF8.self), value))
        }
    }

    private mutating func string() -> SystemCall.Argument? {
        guard let bytes = hexadecimal(until: UInt8(ascii: "\"")) else { return nil }
        return .text(bytes, isWhole: !take("..."))
    }

    /// Bytes written as `\x41`, and others as they are.
    private mutating func hexadecimal(until end: UInt8) -> [UInt8]? {
        var bytes: [UInt8] = []
        var index = rest.startIndex
        while index < rest.endIndex, rest[index] != end {
            if rest[index] == UInt8(ascii: "\\"), index + 3 < rest.endIndex,
                let byte = UInt8(String(decoding: rest[(index + 2)...(index + 3)], as: UTF8.self), radix: 16)
            {
                bytes.append(byte)
                index += 4
            } else {
                bytes.append(rest[index])
                index += 1
            }
        }
        guard index < rest.endIndex else { return nil }
        rest = rest[(index + 1)...]
        return bytes
    }
}
