import Testing

@Suite("The reference model and the table of clauses")
struct ReferenceModelTests {
    private func ids(in folder: String) throws -> Set<String> {
        var ids: Set<String> = []
        for path in House.files(under: folder, ending: ".swift") {
            for match in try House.text(path).matches(of: /"((?:S|U|R|N|T)[0-9]+\.[a-z0-9-]+)"/) {
                ids.insert(String(match.1))
            }
        }
        return ids
    }

    @Test("It names clauses that the table has")
    func clauses() throws {
        let named = try ids(in: "Sources/ReferenceModel")
        #expect(named.count > 20)
        #expect(named.subtracting(try ids(in: "Sources/Runner/Rules")).sorted() == [])
    }
}
