/// Parts of sentences for people.
enum Quoting {
    /// `1 file`, `2 files`.
    static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
