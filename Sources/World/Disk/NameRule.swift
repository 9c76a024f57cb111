import Core

/// Which names a disk takes for one (storage.md: "case-insensitive and Unicode-normalising names"). It lists
/// a name as it was spelled when the file was made or last renamed, whatever it was asked for by.
///
/// Deliberately not modelled: a volume that changes the spelling itself (HFS+ stores decomposed names), the
/// Unicode version that a volume was formatted with, and folding beyond Swift's mappings of case.
package enum NameRule: String, Hashable, Sendable, CaseIterable {
    /// Names are bytes: ext4, F2FS, an app package inside an archive.
    case exactBytes
    /// Composed and decomposed letters are the same: APFS as iOS has it.
    case anyForm
    /// Large and small letters too: APFS and HFS+ as a Mac has them, and what its simulators run on.
    case anyCaseAndForm

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
