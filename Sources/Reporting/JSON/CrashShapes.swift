import Authoring
import Core
import Oracle
import Runner
import Search

/// The members of `crashpoints/results.json`, one row each: the writer, the schema and the reference follow.
enum CrashShapes {
    static let search = Shape<CrashResults>(
        name: "search", doc: "What one search over crash points found.", blank: { CrashResults() },
        fields: [
            .need("otalab", \.toolVersion, .text, "Version of the program."),
            .need(
                "commandLine", \.commandLine, .list(.text),
                "The call, without flags that never change a result."),
            .need("seed", \.seed, .seed, "What the keyed choices start from."),
            .need(
                "partial", \.isPartial, .flag,
                "Interrupted: what there is is true but not all, of the last story too."),
            .need("all", \.all, counts.form, "The sum over the stories."),
            .need(
                "stories", \.stories, .list(story.form),
                "In the order of the files; of several devices in one story each by itself."),
            .need("leftOut", \.leftOut, .list(leftOut.form), "Selected, and not searched."),
        ])

    static let story = Shape<CrashResults.Story>(
        name: "story", doc: "One story, cut off on one of its devices.", blank: { CrashResults.Story() },
        fields: [
            .need("name", \.name, .text, "The scenario's id with case and order."),
            .need("file", \.file, .text, "As given to the program."),
            .may("device", \.device, .text, "The one that is cut off, in a story of several."),
            .may("problem", \.problem, .text, "Why it could not be searched."),
            .need("counts", \.counts, counts.form, "How much was tried."),
            .need(
                "findings", \.findings, .list(finding.form),
                "Crashes from which the device did not come back."),
        ])

    static let counts = Shape<CrashTally>(
        name: "counts", doc: "How much was tried.", blank: { CrashTally() },
        fields: [
            .need(
                "firstPoints", \.firstPoints, .count(), "Disk operations at which a first crash was tried."),
            .need(
                "secondPoints", \.secondPoints, .count(),
                "Operations of recoveries at which a second one was tried."),
            .need("pointsLeftOut", \.pointsLeftOut, .count(), "Operations that --every passed over."),
            .need(
                "exactPoints", \.exactPoints, .count(),
                "Points at which every outcome that the file system allows was tried."),
            .need("sampledPoints", \.sampledPoints, .count(), "The other points."),
            .need("states", \.states, .count(), "Crashes: points times outcomes."),
            .need(
                "launched", \.launched, .count(), "States that were launched; the others equal one of them."),
            .need(
                "used", \.used, .count(),
                "States at the end of recoveries from which the device was used on; the others equal one."),
            .need("secondTried", \.secondTried, .count(), "First crashes whose recovery was cut off again."),
            .need("secondLeftOut", \.secondLeftOut, .count(), "First crashes whose recovery was not."),
            .need(
                "failures", \.failures, .count(),
                "States from which the device did not come back as it should."),
            .need("classes", \.classes.counts, .list(row.form), "The classes of outcomes, each once."),
        ])

    static let row = Shape<CrashClassCounts.Count>(
        name: "class", doc: "One class of outcomes (storage.md).", blank: { CrashClassCounts.Count(.kill) },
        fields: [
            .need("class", \.kind, .word, "How the device was cut off, or what a power cut left."),
            .need("points", \.existing, .count(), "At how many points such an outcome exists."),
            .need("met", \.tried, .count(), "At how many of them one was tried."),
        ])

    static let finding = Shape<CrashResults.Finding>(
        name: "finding", doc: "A crash from which the device did not come back as it should.",
        blank: { CrashResults.Finding() },
        fields: [
            .need("rule", \.rule, .text, "R1, ST-I1 …"),
            .need("headline", \.headline, .text, "In one sentence."),
            .need("expected", \.expected, .text, "What should be."),
            .need("actual", \.actual, .text, "What is."),
            .need("crashes", \.crashes, .list(.text), "One, or two: the second within the recovery."),
            .may("command", \.command, .text, "Shows it again."),
        ])

    static let leftOut = Shape<CrashResults.LeftOut>(
        name: "leftOut", doc: "A story that was not searched, or a file that can't be read.",
        blank: { CrashResults.LeftOut("", "") },
        fields: [
            .need("name", \.name, .text, "Of the story, or the path of the file."),
            .need("reason", \.reason, .text, "In a sentence."),
        ])
}
