/// How many bytes of an answer reach the app together. A network may cut an answer anywhere; the line stays
/// as fast as it was.
struct PieceSize: Transformation {
    /// Bytes together at most; no power of two, so that no piece ends where a buffer does.
    static let bytes = 5_003
    /// Most pieces that one version should come in, so that a large one does not take long.
    private static let pieces = 2_000

    let name = "answers in small pieces"
    let reason = "an answer means the same however it is cut"

    func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
        try base.requireNoRace()
        var variant = Variant(name: name, scenario: base.scenario) { setup in
            let largest = setup.versions.map(\.size).max() ?? 0
            for index in setup.devices.indices {
                setup.devices[index].link.largestPiece = max(PieceSize.bytes, largest / PieceSize.pieces)
            }
        }
        variant.isOfOtherPace = true
        return [variant]
    }
}
