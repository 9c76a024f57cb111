import Backend
import Core
import Updater

/// The sign-in page of a Wi-Fi network: it answers every request in place of the origin, with status 200 and
/// HTML, until the user has accepted its terms (fault `captivePortal`). It is applied in
/// `RequestPlan+AlteredAnswer.swift`.
extension OriginAnswer {
    /// The portal's answer to a request that the origin would have answered with `previous`. It has no entity
    /// tag. Its date is the origin's: the portal's own clock is not modelled.
    static func captivePortal(replacing previous: OriginAnswer) -> OriginAnswer {
        let page =
            "<!DOCTYPE html><html><head><title>Welcome</title></head>"
            + "<body><form action=\"/login\"><button>Accept and connect</button></form></body></html>\n"
        var answer = plainText(200, page, replacing: previous)
        answer.set("Content-Type", "text/html; charset=utf-8")
        return answer
    }

    /// An answer with this text alone; of the previous one it keeps the date.
    static func plainText(_ status: Int, _ text: String, replacing previous: OriginAnswer) -> OriginAnswer {
        var answer = OriginAnswer(status: status, body: AnswerBody(Array(text.utf8)))
        if let date = previous.field("Date") { answer.set("Date", date) }
        answer.set("Content-Length", String(answer.body.count))
        if !text.isEmpty { answer.set("Content-Type", "text/plain; charset=utf-8") }
        return answer
    }
}
