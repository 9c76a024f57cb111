import Core
import Foundation
import HTTP1

extension SubjectMessage {
    /// Reads a line of an adapter's output. Keys that the protocol does not have are ignored.
    /// - Throws: ``ProtocolFault`` with the line's number.
    package static func read(_ line: [UInt8], number: Int) throws(ProtocolFault) -> SubjectMessage {
        let root: JSONNode
        do throws(JSONFault) {
            root = try JSONReader.read(line, dialect: .strict, limits: limits)
        } catch {
            throw ProtocolFault(
                "a line that is no JSON: \(error.message) at byte \(error.span.start + 1)", line: line,
                number: number, help: "write only messages to stdout; stderr is for everything else")
        }
        let reading = MessageReading(root, line: line, number: number)
        guard root.members != nil else {
            throw reading.fault("a line that is no JSON object, but \(root.kindName)")
        }
        if root.has("to") { return .answer(try reading.answer()) }
        switch try reading.text("is") {
        case "subject": return .subject(try reading.description())
        case "listening":
            let loadsItself = root["start"]?.isNull == true
            return .listening(start: loadsItself ? nil : try reading.route("start", default: "/"))
        case "load": return .load(view: try reading.view(), url: try reading.route("url", default: nil))
        case "status": return .status(try reading.status())
        case "told": return .told(try reading.telling())
        case "message": return .message(view: try reading.view(), json: try reading.json("json"))
        case "screen": return .screen(try reading.word("shows"))
        case let other: return .unknown(other)
        }
    }

    private static let limits = JSONLimits(maxBytes: LineSplitter.maxLine)
}

/// One message while it is read.
private struct MessageReading {
    let root: JSONNode
    let line: [UInt8]
    let number: Int

    init(_ root: JSONNode, line: [UInt8], number: Int) {
        self.root = root
        self.line = line
        self.number = number
    }

    func fault(_ message: String, _ help: String? = nil) -> ProtocolFault {
        ProtocolFault(
            message, line: line, number: number,
            help: help ?? "`otalab help adapters` lists all messages and keys")
    }

    // MARK: Values

    func text(_ key: String, in node: JSONNode? = nil) throws(ProtocolFault) -> String {
        guard let value = (node ?? root)[key] else { throw fault("a message without \"\(key)\"") }
        guard let text = value.string else { throw fault("\"\(key)\" is \(value.kindName) instead of text") }
        return text
    }

    func optionalText(_ key: String) throws(ProtocolFault) -> String? {
        guard let value = root[key], !value.isNull else { return nil }
        return try text(key)
    }

    /// One of a few words.
    func word<Word: RawRepresentable & CaseIterable>(_ key: String, in node: JSONNode? = nil)
        throws(ProtocolFault) -> Word
    where Word.RawValue == String {
        try word(try text(key, in: node), of: key)
    }

    private func word<Word: RawRepresentable & CaseIterable>(_ text: String, of key: String)
        throws(ProtocolFault) -> Word
    where Word.RawValue == String {
        if let word = Word(rawValue: text) { return word }
        let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
        throw fault("\"\(key)\" can't be '\(text)'", "use one of \(known)")
    }

    func texts(_ key: String) throws(ProtocolFault) -> [String]? {
        guard let value = root[key] else { return nil }
        return try texts(value, of: key)
    }

    private func texts(_ value: JSONNode, of key: String) throws(ProtocolFault) -> [String] {
        guard let elements = value.array else {
            throw fault("\"\(key)\" is \(value.kindName) instead of a list")
        }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string else {
                throw fault("\"\(key)\" has \(element.kindName) instead of text")
            }
            texts.append(text)
        }
        return texts
    }

    /// Words that the protocol has, and others, which are of a later version or slips.
    private func words<Word: RawRepresentable & CaseIterable>(_ key: String) throws(ProtocolFault)
        -> (known: [Word], unknown: [String])
    where Word.RawValue == String {
        let texts = try texts(key) ?? []
        return (texts.compactMap { Word(rawValue: $0) }, texts.filter { Word(rawValue: $0) == nil })
    }

    private func count(_ key: String, in node: JSONNode, atMost limit: Int64) throws(ProtocolFault) -> Int64 {
        guard let value = node[key] else { throw fault("a message without \"\(key)\"") }
        guard let number = value.integer, (0...limit).contains(number) else {
            throw fault("\"\(key)\" is no whole number from 0 to \(limit)")
        }
        return number
    }

    func view() throws(ProtocolFault) -> Int {
        root.has("view") ? Int(try count("view", in: root, atMost: 99)) : 0
    }

    /// Path and query on the local server.
    func route(_ key: String, default other: String?) throws(ProtocolFault) -> String {
        if let other, !root.has(key) { return other }
        let text = try text(key)
        guard text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else {
            throw fault(
                "\"\(key)\" is no path: '\(text)'",
                "a path begins with one '/', may have a query, and is percent-encoded"
            )
        }
        return text
    }

    func json(_ key: String) throws(ProtocolFault) -> [UInt8] {
        guard let value = root[key] else { throw fault("a message without \"\(key)\"") }
        var json = JSONWriter()
        json.node(value)
        return json.bytes
    }

    // MARK: Messages

    func answer() throws(ProtocolFault) -> SubjectAnswer {
        let id = try count("to", in: root, atMost: Int64(Int32.max))
        guard let isOK = root["ok"]?.bool else { throw fault("an answer without \"ok\": true or false") }
        var answer = SubjectAnswer(to: Int(id), isOK: isOK, why: try optionalText("why"))
        if let next = root["next"], !next.isNull {
            answer.next = .milliseconds(try count("next", in: root, atMost: longest))
        }
        if root.has("open") { answer.open = Int(try count("open", in: root, atMost: 10_000)) }
        if root.has("status") { answer.response = try response() }
        return answer
    }

    private func response() throws(ProtocolFault) -> SubjectAnswer.Response {
        let status = Int(try count("status", in: root, atMost: 599))
        guard status >= 200 else { throw fault("\"status\" is no status of a whole response: \(status)") }
        let type = try optionalText("type")
        if let type, !type.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) {
            throw fault("\"type\" is no media type: '\(type)'")
        }
        var response = SubjectAnswer.Response(
            status: status, type: type, headers: try headers(), body: .bytes([]))
        let (file, text) = (try optionalText("file"), try optionalText("base64"))
        if file != nil, text != nil { throw fault("both \"file\" and \"base64\"", "give one of them") }
        guard let bytes = Data(base64Encoded: text ?? "") else { throw fault("\"base64\" is none") }
        response.body = file.map { .file($0) } ?? .bytes(Array(bytes))
        return response
    }

    /// Header fields of a response. Those that say where it ends are the laboratory's.
    private func headers() throws(ProtocolFault) -> HeaderFields {
        var fields = HeaderFields()
        guard let node = root["headers"], !node.isNull else { return fields }
        guard let members = node.members else {
            throw fault("\"headers\" is \(node.kindName) instead of an object")
        }
        for member in members {
            guard let value = member.value.string, value.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }),
                !member.key.isEmpty,
                member.key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") })
            else { throw fault("\"headers\" has no header field: '\(member.key)'") }
            let name = member.key.lowercased()
            if ["content-length", "transfer-encoding", "connection"].contains(name) { continue }
            fields.append(member.key, value)
        }
        return fields
    }

    func description() throws(ProtocolFault) -> SubjectDescription {
        guard root["protocol"]?.integer == 1 else {
            let help = "write \"protocol\": 1 in the first message"
            guard let node = root["protocol"], node.integer == nil else {
                throw fault("another protocol than 1", help)
            }
            throw fault("\"protocol\" is \(node.kindName) instead of the number 1", help)
        }
        let skills: (known: [SubjectDescription.Skill], unknown: [String]) = try words("does")
        let tellings: (known: [SubjectDescription.Telling], unknown: [String]) = try words("tells")
        return SubjectDescription(
            name: try text("name"), version: try text("version"), dialects: try texts("dialects") ?? [],
            clock: root.has("clock") ? try word("clock") : .system,
            serves: root.has("serves") ? try word("serves") : .http, does: skills.known,
            tells: tellings.known, policy: try policy(), unknownSkills: skills.unknown,
            unknownTellings: tellings.unknown)
    }

    private func policy() throws(ProtocolFault) -> SubjectPolicy? {
        guard let node = root["policy"], !node.isNull else { return nil }
        guard node.members != nil else { throw fault("\"policy\" is \(node.kindName) instead of an object") }
        guard let blacklists = node["blacklists"]?.bool else {
            throw fault("a policy without \"blacklists\": true or false")
        }
        guard let moments = node["switchAt"] else { throw fault("a policy without \"switchAt\"") }
        var switchAt: [SubjectPolicy.Moment] = []
        for text in try texts(moments, of: "switchAt") { switchAt.append(try word(text, of: "switchAt")) }
        return SubjectPolicy(
            confirm: try word("confirm", in: node),
            startupTimeout: .milliseconds(try count("startupTimeout", in: node, atMost: longest)),
            switchAt: switchAt, retries: Int(try count("retries", in: node, atMost: 100)),
            blacklists: blacklists)
    }

    func status() throws(ProtocolFault) -> SubjectStatus {
        var status = SubjectStatus()
        status.current = try told("current")
        status.pending = try told("pending")
        status.good = try texts("good")
        status.blacklist = try texts("blacklist")
        status.parked = try texts("parked")
        return status
    }

    private func told(_ key: String) throws(ProtocolFault) -> SubjectStatus.Told? {
        guard let value = root[key] else { return nil }
        return value.isNull ? SubjectStatus.Told.none : .id(try text(key))
    }

    func telling() throws(ProtocolFault) -> SubjectMessage.Telling {
        SubjectMessage.Telling(
            what: try word("what"), version: try optionalText("version"), cause: try optionalText("cause"),
            text: try optionalText("text"))
    }

    /// Longest time in milliseconds: a year.
    private var longest: Int64 { 366 * 24 * 3_600_000 }
}
