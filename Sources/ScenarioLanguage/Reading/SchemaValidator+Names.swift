import Core

// Names must be unique and not be keywords of the language.
extension SchemaValidator {
    mutating func checkNames() {
        for (kind, second, first) in names.duplicates {
            report(
                .duplicateName, "two things are named '\(second.value)'", label: "a second \(kind.noun)",
                at: second.span, related: [Diagnostic.Related(message: "the first one", span: first.span)])
        }
        for name in names.reserved {
            report(
                .duplicateName, "'\(name.value)' is a keyword of the language", label: "not as a name",
                at: name.span)
        }
    }
}
