/// What a failure is about. Reports don't contain it; it selects the events that they show
/// (``Relevance``).
package struct FailureSubject: Hashable, Sendable {
    /// Parts of the expectation; empty for a failure of another kind.
    package var parts: [ExpectationPart]
    /// Names of the versions that the failure names.
    package var versions: [String]

    package init(parts: [ExpectationPart] = [], versions: [String] = []) {
        self.parts = parts
        self.versions = versions
    }

    init(_ mismatches: [Mismatch]) {
        self.init(parts: mismatches.map(\.part), versions: mismatches.flatMap(\.versions))
    }
}

/// A failure of a run, before the events that explain it are selected.
package struct FoundFailure: Hashable, Sendable {
    package var failure: Failure
    package var subject: FailureSubject

    package init(_ failure: Failure, about subject: FailureSubject = FailureSubject()) {
        self.failure = failure
        self.subject = subject
    }
}
