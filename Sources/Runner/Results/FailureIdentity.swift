/// What identifies a failure among the failures of other scenarios: what `otalab shrink` keeps. Reports don't
/// contain it.
package struct FailureIdentity: Hashable, Sendable {
    /// Id of the broken clause, if the checker names one.
    package var clause: String?
    /// What failed, without the values of this run: the headline of a violation with a gap for each value;
    /// the expectation; empty if kind and rule say it all. Names of versions are in it.
    package var pattern = ""
    /// Kinds of the events that led to the failure of an expectation or a trigger, in the order in which the
    /// last of each kind happened (``FailureCourse``); empty for other failures.
    package var course: [String] = []

    package init() {}
}
