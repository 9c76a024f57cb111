/// A notification shade that is pulled down and let go. The app stays visible, and no rule switches, blames
/// or checks because of it.
struct InactiveAndActive: Transformation {
    let name = "an extra moment without the user's input"
    let reason = "the app stays in front and goes on"

    func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
        // The note of the moment (R2) is written: a slow disk may write it after what comes next, or never.
        try base.inserting(
            [.inactive, .active],
            at: base.positions.filter {
                $0.isQuiet && $0.isInFront && base.isUndisturbed(before: $0)
            }, name)
    }
}
