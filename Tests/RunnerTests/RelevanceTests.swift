import Backend
import Core
import Testing
import Updater

@testable import Runner

@Suite("Which events a failure shows")
struct RelevanceTests {
    private static func events(_ kinds: [(TraceEvent.Kind, String)]) -> ([TraceEvent], [TimelineEntry]) {
        let events = kinds.enumerated().map { index, kind in
            TraceEvent(ordinal: index + 1, at: .zero + .milliseconds(Int64(index)), device: 0, kind: kind.0)
        }
        let entries = events.map {
            TimelineEntry(ordinal: $0.ordinal, at: $0.at, lane: .network, text: kinds[$0.ordinal - 1].1)
        }
        return (events, entries)
    }

    /// Each file has its own word, because texts that differ in numbers alone count once.
    private static let files = "abcdefghijklmnopqrst".map { letter in
        (
            TraceEvent.Kind.requestSent(
                RequestEvent(
                    transfer: TransferID(1), kind: .file("/\(letter)"), url: "/\(letter)", version: nil,
                    edge: 0, from: nil, isConditional: false)),
            "asks for /\(letter) of v2"
        )
    }

    @Test("The answer that offers a version of the failure is shown, although no event has it as its cause")
    func offer() {
        let offer = (TraceEvent.Kind.answerHead(TransferID(9), status: 200, offered: "v3"), "200 offers v3")
        let (events, entries) = Self.events(Self.files + [offer, (.foregrounded, "comes to the front")])
        var failure = Failure(kind: .invariant, headline: "A late answer won", at: .zero + .seconds(1))
        failure.rule = "U4"
        let found = FoundFailure(failure, about: FailureSubject(versions: ["v2", "v3"]))
        let shown = Relevance(found, events: events, entries: entries, versions: ["v1", "v2", "v3"])
            .selectedEntries()
        #expect(shown.count == Relevance.maxEvents)
        #expect(shown.contains { $0.text == "200 offers v3" })
    }
}
