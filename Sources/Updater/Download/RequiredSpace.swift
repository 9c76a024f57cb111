import Core

/// Required disk space, computed from sizes that an origin states.
enum RequiredSpace {
    static func sum(_ sizes: some Sequence<Int>) -> UntrustedInteger {
        sizes.reduce(.zero) { $0.adding(UntrustedInteger($1)) }
    }

    /// U11: missing bytes × 1.1 and a reserve.
    static func bytes(missing: UntrustedInteger, reserve: Int) -> UntrustedInteger {
        missing.adding(missing.tenth).adding(UntrustedInteger(reserve))
    }
}
