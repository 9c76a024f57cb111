import Core
import Testing

@testable import LocalServer

@Suite("Page loads and the versions that they are pinned to (S1)")
struct PageLoadTableTests {
    private let one = PageLoadToken(1)
    private let two = PageLoadToken(2)
    private let three = PageLoadToken(3)

    private func pinned(_ tokens: PageLoadToken...) -> PageLoadTable {
        var table = PageLoadTable()
        for token in tokens {
            _ = table.pin(token, to: ServerFixture.v1, requestedBy: nil)
            table.markServed(token, for: .root)
        }
        return table
    }

    @Test("A load begins with nothing served, shown or answered, behind the one that requested it")
    func fresh() {
        var table = PageLoadTable()
        #expect(table[nil] == nil && table[one] == nil && table.current == nil)
        let first = table.pin(one, to: ServerFixture.v1, requestedBy: nil)
        #expect(first == table[one] && first.previous == nil && first.site.name == "v1")
        #expect(!first.isServed && !first.isCommitted && !first.hasEnded && first.responses == 0)
        #expect(first.carrier == nil)
        #expect(table.pin(two, to: ServerFixture.v2, requestedBy: one).previous == one)
        #expect(table.pin(three, to: ServerFixture.v1, requestedBy: nil).previous == nil)
        table.markServed(two, for: .root)
        #expect(table.pin(three, to: ServerFixture.v1, requestedBy: nil).previous == two)
        #expect(table.pin(three, to: ServerFixture.v1, requestedBy: PageLoadToken(9)).previous == two)
        #expect(table.pin(two, to: ServerFixture.v2, requestedBy: nil).previous == nil, "never itself")
    }

    @Test("A load that is pinned again is a new one")
    func pinnedAgain() {
        var table = pinned(one)
        table.commit(one)
        #expect(table.beginResponse(one) == true)
        #expect(table.pin(one, to: ServerFixture.v2, requestedBy: nil).site.name == "v2")
        #expect(table[one]?.isServed == false && table[one]?.isCommitted == false)
        #expect(table[one]?.responses == 0)
    }

    @Test("What its document requests shows that it is shown, once, and only if it was served")
    func evidence() {
        var table = PageLoadTable()
        _ = table.pin(one, to: ServerFixture.v1, requestedBy: nil)
        #expect(table.commitOnEvidence(one) == false && table[one]?.isCommitted == false)
        table.markServed(one, for: .root)
        #expect(table.commitOnEvidence(one) == true && table[one]?.isCommitted == true)
        #expect(table.commitOnEvidence(one) == false && table.commitOnEvidence(two) == false)
    }

    @Test(
        "The first response in progress begins the sending, the last one ends it; an ended load waits for it"
    )
    func responses() {
        var table = pinned(one, two)
        #expect(table.beginResponse(one) == true && table.beginResponse(one) == false)
        #expect(table.beginResponse(three) == false)
        table.end(one)
        #expect(table[one] != nil && table[two] != nil)
        #expect(table.endResponse(one) == false && table[one] != nil)
        #expect(table.endResponse(one) == true && table[one] == nil)
        #expect(table.endResponse(one) == false)
        #expect(table.beginResponse(two) == true && table.endResponse(two) == true && table[two] != nil)
        table.end(two)
        #expect(table[two] == nil)
    }

    @Test("A cookie is the newest load's that is shown; one that has gone unseen does not stand before it")
    func owner() {
        var table = pinned(one, two, three)
        #expect(table.owner(ofCookie: three) == one, "none of them is shown")
        table.commit(two)
        #expect(table.owner(ofCookie: three) == two && table.owner(ofCookie: two) == two)
        #expect(table.owner(ofCookie: one) == one)
        table.commit(three)
        #expect(table.owner(ofCookie: three) == three)

        var gone = pinned(one, two, three)
        gone.commit(one)
        gone.end(two)
        #expect(gone[three]?.previous == one && gone.owner(ofCookie: three) == one)

        var shown = pinned(one, two, three)
        shown.commit(two)
        shown.end(two)
        #expect(shown[three]?.previous == two && shown.owner(ofCookie: three) == three)
    }

    @Test("A URL that its hash fixes is answered by the first load whose version has it; another by none")
    func fixed() throws {
        var table = pinned(one)
        _ = table.pin(two, to: ServerFixture.v2, requestedBy: nil)
        for (text, site) in [
            ("/v1.0123abcd.js", "v1"), ("/v2.0123abcd.js", "v2"), ("/app.js", nil), ("/none.js", nil),
        ] {
            #expect(table.site(fixing: try Route(text))?.name == site, "\(text)")
        }
    }
}
