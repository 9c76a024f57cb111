import Core

/// Which names a disk treats as equal: equal bytes only, or also names that differ in case or Unicode form.
/// It lists a name as it was spelled when the file was created or last renamed, however later calls spell it.
///
/// Deliberately not modelled: a volume that changes the spelling itself (HFS+ stores decomposed names), the
/// Unicode version that a volume was formatted with, and folding beyond Swift's mappings of case.
package enum NameRule: String, Hashable, Sendable, CaseIterable {
    /// Names are compared by their bytes: ext4, F2FS, an app package inside an archive.
    case exactBytes
    /// Composed and decomposed letters are equal: APFS on iOS.
    case anyForm
    /// Upper-case and lower-case letters are equal too: APFS and HFS+ on a Mac, and so in its simulators.
    case anyCaseAndForm
}
