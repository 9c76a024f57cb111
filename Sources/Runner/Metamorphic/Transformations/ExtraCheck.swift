/// A check that gets the offer which the device has already. What is stored is not fetched again (U3), and
/// what was refused or blamed is not taken because it is offered once more (R5).
struct ExtraCheck: Transformation {
    let name = "an extra check that offers the same"
    let reason = "an offer that the device knows says nothing new"

    func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
        try base.requireOwnNumbers()
        let positions = base.positions.filter { position in
            position.isQuiet && position.isOnline && position.knowsOffer
                && base.isUndisturbed(before: position) && !base.failsDisk(after: position)
                && !base.isRecordDamaged(after: position)
                && !base.returnsSoon(after: position)
        }
        return try base.inserting([.check], at: positions, name)
    }
}
