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
}
