import Backend
import Core

/// Comparison of names as a volume does it.
extension NameRule {
    /// One text for all spellings, if bytes suffice to compare them; nil if Swift's `==` is needed.
    func folded(_ text: String) -> String? {
        if self == .exactBytes { return text }
        // Nearly all names: no character has another case or form.
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        if TextBytes.all(text, { $0 < 0x80 && !capitals.contains($0) }) { return text }
        if TextBytes.all(text, { $0 < 0x80 }) { return self == .anyForm ? text : text.lowercased() }
        // The Kelvin sign folds to "k".
        let plain = comparable(text)
        return plain.utf8.allSatisfy { $0 < 0x80 } ? plain : nil
    }

    /// The text to compare with `==`, which compares by canonical equivalence.
    func comparable(_ text: String) -> String {
        self == .anyCaseAndForm ? text.uppercased().lowercased() : text
    }
}
