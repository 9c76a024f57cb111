import Runner

/// A failure with its differences as the lists that `results.json` has.
struct FailureMembers: Sendable {
    /// The failure; what is in ``lists`` counts only there.
    var members: Failure
    var lists: FailureLists

    init(_ failure: Failure) {
        members = failure
        lists = FailureLists(failure)
    }

    var failure: Failure {
        var failure = members
        failure.differences = lists.differences(of: failure.kind)
        failure.findings = lists.findings
        return failure
    }
}
