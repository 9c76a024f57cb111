/// The file system that a disk imitates when the power fails: it decides which pending operations must
/// survive for another one to survive.
package enum CrashProfile: String, Hashable, Sendable, CaseIterable {
    /// The weakest behaviour that any POSIX file system shows. Inside a rename the new name comes before
    /// the old one goes; nothing else is ordered but operations on the same object.
    case strict
    /// ext4 `data=ordered`, XFS: metadata survives as a prefix, a length only with its data, and the
    /// data of a file before a rename that puts it over another (`auto_da_alloc`).
    case journal
    /// ext4 `data=writeback`: as `journal`, but a length may survive without its data.
    case writeback
    /// APFS: metadata survives as a prefix, data is free; a plain `fsync` reaches only the cache of the
    /// device, a full one the medium.
    case apple
    /// Everything survives in program order; a defect that is found only here has nothing to do with order.
    case prefix
    /// `strict` without the promise that a rename over a file never loses the target's name (ALICE,
    /// OSDI 2014). For information only: no rule is checked in this profile.
    case alice
}
