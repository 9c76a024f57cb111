import Laboratory

/// `otalab bench`.
struct Bench: Sendable {
    let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run() async throws -> ExitCode { .passed }
}
