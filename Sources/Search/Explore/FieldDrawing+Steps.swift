import ScenarioLanguage

/// Steps, as drawn worlds have them.
extension FieldDrawing {
    /// Keys that say when a step happens.
    static let triggers = ["when", "after", "at"]
    /// Keys that are no part of what a step does, or that ``StepDrawing`` adds itself.
    private static let leftOut = ["because", "crashPoints", "anyOrder", "as"] + triggers

    /// A step that does this.
    /// - Parameter trigger: the key that says when it happens; nil: in its order.
    mutating func step(_ verb: String, with trigger: String? = nil) -> PrintedValue {
        var step = object(
            .step, head: verb, leavingOut: FieldDrawing.leftOut.filter { $0 != trigger })
        if verb == "fault" { FieldDrawing.admitExistence(&step) }
        return step
    }

    /// No disk says of a file that is there that it is not. A program can only believe it, and what follows
    /// is what follows the file's removal, which is a step of its own.
    private static func admitExistence(_ step: inout PrintedValue) {
        guard case .object(var fault)? = step["fault"],
            let index = fault.firstIndex(where: { $0.key == "diskError" }),
            [.text("ENOENT"), .text("ENOTDIR")].contains(fault[index].value)
        else { return }
        fault[index].value = .text("EIO")
        step["fault"] = .object(fault)
    }
}
