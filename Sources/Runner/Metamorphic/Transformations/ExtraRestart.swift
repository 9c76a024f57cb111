/// The user ends the app and opens it again, while what runs has confirmed and nothing is pending: the same
/// version starts again. A version with a start of its own (slow, or failing now and then) is left alone: it
/// may start once and not again, and then R3 is right to end otherwise.
struct ExtraRestart: Transformation {
    let name = "an extra relaunch while nothing is under way"
    let reason = "a confirmed version starts again as it did"

    func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
        // A launch checks.
        try base.requireOwnNumbers()
        let positions = base.positions.filter { position in
            position.isQuiet && position.isInFront && position.isConfirmed && position.isOnline
                && position.knowsOffer
                && base.isUndisturbed(before: position) && !base.isRecordDamaged(after: position)
                && !base.failsDisk(after: position) && !base.needsEarlierPage(after: position)
                && base.startsAlike(at: position)
        }
        return try base.inserting([.relaunch(.foreground)], at: positions, name)
    }
}
