import Backend
import Core

/// Comparing names as a volume does.
extension NameRule {
    /// One text for all spellings, as far as bytes can say it; nil where only `==` of Swift's texts can.
    func folded(_ text: String) -> String? {
        if self == .exactBytes { return text }
        // As nearly all names are: nothing in them has another case or form.
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        if TextBytes.all(text, { $0 < 0x80 && !capitals.contains($0) }) { return text }
        if TextBytes.all(text, { $0 < 0x80 }) { return self == .anyForm ? text : text.lowercased() }
        // The Kelvin sign is a "k".
        let plain = comparable(text)
        return plain.utf8.allSatisfy { $0 < 0x80 } ? plain : nil
    }

    /// What `==`, which compares by canonical equivalence, is asked about.
    func comparable(_ text: String) -> String {
        self == .anyCaseAndForm ? text.uppercased().lowercased() : text
    }
}
