import Testing
import Updater

@testable import Runner

@Suite("T1: what each cause means")
struct CauseTableTests {
    @Test("Every cause is in the table once, each with a meaning of its own, and rules that there are")
    func table() {
        let meanings = LogCause.meanings
        for cause in LogCause.allCases {
            #expect(meanings.count { $0.cause == cause } == 1, "\(cause.rawValue)")
        }
        #expect(Set(meanings.map(\.meaning)).count == meanings.count)
        for meaning in meanings {
            #expect(meaning.meaning.hasSuffix("."), "\(meaning.meaning)")
            let rules = meaning.rules.split(separator: " ")
            #expect(!rules.isEmpty && rules.allSatisfy { id in Rule.all.contains { $0.id == id } })
        }
        #expect(LogCause.groups.allSatisfy { !$0.meanings.isEmpty })
    }
}
