import Runner
import Updater

extension Topic {
    /// Generated from the table of causes.
    static let causes = Topic(
        name: "causes", page: "Causes", summary: "what each cause in a log, an outcome or a report means",
        text: """
            # Causes

            The one distinct cause behind every refusal, failure, rescue, blame and skipped update (rule T1).

            ## Overview

            Log, notices, outcomes, error reports and scenario files write these words. A word never changes its
            meaning and is never used for a second one. An entry has the cause, the id of the version it is about,
            the time since its process began, and facts as `name=value`. `otalab help CAUSE` prints one of them.

            A *refusal* rejects something, a *failure* is an error, *skipped* is an omission that is no error, a
            *rescue* is what the user gets after a failure, *blame* is what is recorded about a version, and a
            *step* is normal progress, logged so that the other entries can be understood.


            """ + LogCause.groups.map { section($0) }.joined(separator: "\n"))

    private static func section(_ group: CauseGroup) -> String {
        "## \(group.title)\n\n| cause | kind | rules | what it means |\n|---|---|---|---|\n"
            + group.meanings.map { meaning in
                "| `\(meaning.cause.rawValue)` | \(meaning.kind.rawValue) | \(meaning.rules) | "
                    + "\(meaning.meaning) |\n"
            }.joined()
    }

    static func line(_ meaning: CauseMeaning) -> String {
        "**\(meaning.cause.rawValue)** (\(meaning.kind.rawValue)) \(meaning.meaning)\n"
    }
}
