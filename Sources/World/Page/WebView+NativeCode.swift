import Backend
import Core
import ScenarioLanguage

/// A page's answers to messages of native code, as the page's script gives them (`PageSide`): the result of
/// the handler, its error as a result, or null where there is no handler.
extension WebView {
    /// An answer that the page gives later.
    struct LateAnswer: Hashable, Sendable {
        let number: Int
        let document: Int
        let messages: [[UInt8]]
    }

    /// The page has a handler for messages of this method.
    mutating func addHandler(_ spec: NativeSpec) {
        handlers.removeAll { $0.method.value == spec.method.value }
        handlers.append(spec)
    }

    /// A message of the native side reached the document on the screen.
    mutating func received(_ bytes: [UInt8], in page: Document) {
        effects.append(.record(.messageDelivered(id, bytes)))
        guard let question = NativeQuestion(bytes) else { return }
        let handler = handlers.first { $0.method.value == question.method }
        let messages = answers(to: question, handler, page)
        guard let delay = handler?.delay?.value, !messages.isEmpty else { return send(messages, from: page) }
        lateAnswers.append(LateAnswer(number: nextAnswer, document: page.id, messages: messages))
        effects.append(.setTimer(.answer(nextAnswer), after: delay))
        nextAnswer += 1
    }

    /// The time of a late answer has come; a document that was replaced gives none.
    mutating func answerIsDue(_ number: Int) {
        guard let index = lateAnswers.firstIndex(where: { $0.number == number }) else { return }
        let answer = lateAnswers.remove(at: index)
        guard let page = shownDocument, page.id == answer.document, !isDead else { return }
        send(answer.messages, from: page)
    }

    private mutating func send(_ messages: [[UInt8]], from page: Document) {
        for message in messages { effects.append(.host(.message(message, documentURL: page.plainURL))) }
    }

    private func answers(to question: NativeQuestion, _ handler: NativeSpec?, _ page: Document) -> [[UInt8]] {
        let count: Int =
            switch handler?.answer {
            case nil, .once, .withAnError: 1
            case .twice: 2
            case .never: 0
            }
        var json = JSONWriter()
        json.beginObject()
        json.key("result")
        switch handler?.answer {
        case nil: json.null()
        case .withAnError:
            json.beginObject()
            json.member("error", "Error: \(question.method)")
            json.endObject()
        case .once, .twice, .never: json.node(question.params)
        }
        json.member("id", question.id)
        // As the page's script does, because the document's address need not name its load.
        if let load = page.load { json.member("load", load.text) }
        json.endObject()
        return Array(repeating: json.bytes, count: count)
    }
}

/// A message of native code that wants an answer.
private struct NativeQuestion {
    let method: String
    let params: JSONNode
    let id: String

    init?(_ bytes: [UInt8]) {
        do throws(JSONFault) {
            let root = try JSONReader.read(bytes, dialect: .strict)
            guard let method = root["method"]?.string, let id = root["id"]?.string,
                let params = root["params"], root["result"] == nil
            else { return nil }
            (self.method, self.id, self.params) = (method, id, params)
        } catch {
            return nil
        }
    }
}
