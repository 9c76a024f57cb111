import Core

/// The laboratory's side of the protocol with one process of an adapter.
///
/// Promises
/// - Commands get ids from 1; each answer belongs to one command that has none yet.
/// - The first message is the description; before it nothing is sent.
/// - A mistake of the adapter is thrown once, and ends the session.
///
/// Deliberately not here: sockets, processes and clocks. Times are the caller's own.
package struct SubjectSession: Sendable {
    package private(set) var description: SubjectDescription?
    package private(set) var dialogue = Dialogue()
    private var lines = LineSplitter()
    private var lineCount = 0
    private var nextID = 1
    /// Commands without an answer, the oldest first.
    private var open: [(id: Int, command: SubjectCommand, sentAt: Instant)] = []

    package init() {}

    /// A message, and for an answer the command that it is for.
    package struct Received: Sendable {
        package var message: SubjectMessage
        package var command: SubjectCommand?
    }

    /// The oldest command without an answer, and when it was sent by the wall clock.
    package var oldestOpen: (command: SubjectCommand, sentAt: Instant)? {
        open.first.map { ($0.command, $0.sentAt) }
    }

    /// The oldest command without an answer that is to have one at once; nil: none.
    package var oldestUnanswered: (command: SubjectCommand, sentAt: Instant)? {
        open.first { $0.command != .rest }.map { ($0.command, $0.sentAt) }
    }

    /// Whether a command has no answer that is to have one at once.
    package var hasUnanswered: Bool { open.contains { $0.command != .rest } }

    package func isOpen(_ command: SubjectCommand) -> Bool { open.contains { $0.command == command } }

    /// The adapter could not answer for this time, which does not count.
    package mutating func postpone(by span: TimeSpan) {
        for index in open.indices { open[index].sentAt = open[index].sentAt + span }
    }

    /// Whether a command can be sent: the adapter has described itself and understands it.
    package func understands(_ command: SubjectCommand) -> Bool {
        guard let description else { return false }
        return command.skill.map { description.does.contains($0) } ?? true
    }

    /// - Parameter wall: the wall clock's time, from which the answer is waited for.
    /// - Returns: the line to write, with its end.
    package mutating func send(_ command: SubjectCommand, at now: Instant, wall: Instant) -> [UInt8] {
        let line = command.line(id: nextID)
        open.append((nextID, command, wall))
        nextID += 1
        dialogue.add(.toSubject, String(decoding: line, as: UTF8.self), at: now)
        return line + [UInt8(ascii: "\n")]
    }

    package mutating func note(_ text: String, at now: Instant) { dialogue.add(.note, text, at: now) }

    /// Takes in bytes of the adapter's output.
    /// - Throws: ``ProtocolFault`` for the first mistake.
    package mutating func take(_ bytes: some Sequence<UInt8>, at now: Instant) throws(ProtocolFault)
        -> [Received]
    {
        var received: [Received] = []
        for piece in lines.take(bytes) {
            lineCount += 1
            switch piece {
            case .tooLong(let beginning):
                throw ProtocolFault(
                    "a line of more than \(LineSplitter.maxLine) bytes", line: beginning, number: lineCount,
                    help: "end each message with a line feed, and keep large things out of messages")
            case .line(let line):
                dialogue.add(.fromSubject, String(decoding: line, as: UTF8.self), at: now)
                let message = try SubjectMessage.read(line, number: lineCount)
                received.append(try check(message, line))
            }
        }
        return received
    }

    private mutating func check(_ message: SubjectMessage, _ line: [UInt8]) throws(ProtocolFault) -> Received
    {
        func fault(_ message: String, _ help: String) -> ProtocolFault {
            ProtocolFault(message, line: line, number: lineCount, help: help)
        }
        switch message {
        case .subject(let description):
            if self.description != nil {
                throw fault("a second description", "describe the subject once, first of all")
            }
            self.description = description
        case _ where description == nil:
            throw fault(
                "a message before the description", "begin with {\"is\": \"subject\", \"protocol\": 1, …}")
        case .answer(let answer):
            guard let index = open.firstIndex(where: { $0.id == answer.to }) else {
                let isOld = answer.to > 0 && answer.to < nextID
                throw fault(
                    isOld
                        ? "a second answer to command \(answer.to)" : "an answer to no command: \(answer.to)",
                    "answer each command once, with its \"id\" as \"to\"")
            }
            return Received(message: message, command: open.remove(at: index).command)
        default: break
        }
        return Received(message: message)
    }
}
