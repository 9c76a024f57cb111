import Core

// Declarations: unique, and no words of the language.
extension SchemaValidator {
    mutating func checkNames() {
        for (kind, second, first) in names.duplicates {
            report(
                .duplicateName, "two things are named '\(second.value)'", label: "a second \(kind.noun)",
                at: second.span, related: [Diagnostic.Related(message: "the first one", span: first.span)])
        }
        for name in names.reserved {
            report(
                .duplicateName, "'\(name.value)' is a word of the language", label: "not as a name",
                at: name.span)
        }
    }
}
