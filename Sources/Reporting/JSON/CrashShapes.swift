import Authoring
import Core
import Oracle
import Runner
import Search

/// The members of `crashpoints/results.json`. Writer, schema and reference are derived from this table.
enum CrashShapes {
    static let search = JSONShape<CrashResults>(
        name: "search", doc: "Result of one search over crash points.", blank: { CrashResults() },
        fields: [
            .required("otalab", \.toolVersion, .text, "Version of the program."),
            .required(
                "commandLine", \.commandLine, .list(.text),
                "The call, without flags that never change a result."),
            .required("seed", \.seed, .seed, "Seed of all random choices."),
            .required(
                "scenarioSet", \.scenarioSetDigest, .hex,
                "Digest over the paths and bytes of all selected files."),
            .optional(
                "shard", \.shard, ResultsShapes.shard.form,
                "Which part of the selection this is; left out for a complete search."),
            .required("invalidFiles", \.hasInvalidFiles, .flag, "True when a selected file can't be read."),
            .required(
                "partial", \.isPartial, .flag,
                "True when the search was interrupted and the results are therefore incomplete, also those of the last scenario."
            ),
            .required("all", \.all, counts.form, "Sum over all scenarios."),
            .required(
                "stories", \.scenarios, .list(scenario.form),
                "Searched scenarios in the order of the files; one entry for each device of a scenario with several."
            ),
            .required(
                "leftOut", \.skipped, .list(skipped.form), "Scenarios that were selected and not searched."),
        ])

    static let scenario = JSONShape<CrashResults.SearchedScenario>(
        name: "story", doc: "One scenario, cut off on one of its devices.",
        blank: { CrashResults.SearchedScenario() },
        fields: [
            .required(
                "place", \.ordinal, .count(from: 1), "Position among the selected scenarios of all shards."),
            .required("name", \.name, .text, "The scenario's id with case and order."),
            .required("file", \.file, .text, "Path as given to the program."),
            .optional("device", \.device, .text, "Device that is cut off, when the scenario has several."),
            .optional("problem", \.problem, .text, "Why the scenario could not be searched."),
            .required("counts", \.counts, counts.form, "How much was tried."),
            .required(
                "findings", \.findings, .list(finding.form),
                "Crashes from which the device did not come back."),
        ])

    static let counts = JSONShape<CrashTally>(
        name: "counts", doc: "How much was tried.", blank: { CrashTally() },
        fields: [
            .required(
                "firstPoints", \.firstPoints, .count(), "Disk operations at which a first crash was tried."),
            .required(
                "secondPoints", \.secondPoints, .count(),
                "Operations of recoveries at which a second one was tried."),
            .required("pointsLeftOut", \.pointsLeftOut, .count(), "Operations that --every skipped."),
            .required(
                "exactPoints", \.exactPoints, .count(),
                "Points at which every outcome that the file system allows was tried."),
            .required("sampledPoints", \.sampledPoints, .count(), "The other points."),
            .required("states", \.states, .count(), "Crashes: points times outcomes."),
            .required(
                "launched", \.launched, .count(), "States that were launched; the others equal one of them."),
            .required(
                "used", \.used, .count(),
                "States at the end of recoveries from which the device was used on; the others equal one."),
            .required(
                "secondTried", \.secondTried, .count(), "First crashes whose recovery was cut off again."),
            .required("secondLeftOut", \.secondLeftOut, .count(), "First crashes whose recovery was not."),
            .required(
                "failures", \.failures, .count(),
                "States from which the device did not come back as it should."),
            .required(
                "classes", \.classes.counts, .list(classCounts.form), "The classes of outcomes, each once."),
        ])

    static let classCounts = JSONShape<CrashClassCounts.Count>(
        name: "class", doc: "One class of outcomes.", blank: { CrashClassCounts.Count(.kill) },
        fields: [
            .required("class", \.kind, .keyword, "How the device was cut off, or what a power cut left."),
            .required("points", \.existing, .count(), "Number of points at which such an outcome exists."),
            .required("met", \.tried, .count(), "Number of points at which one was tried."),
        ])

    static let finding = JSONShape<CrashResults.Finding>(
        name: "finding", doc: "A crash from which the device did not come back as it should.",
        blank: { CrashResults.Finding() },
        fields: [
            .required("rule", \.rule, .text, "Id of the rule: R1, ST-I1 …"),
            .required("headline", \.headline, .text, "Summary in one sentence."),
            .required("expected", \.expected, .text, "Expected state."),
            .required("actual", \.actual, .text, "Actual state."),
            .required(
                "crashes", \.crashes, .list(.text), "One crash, or two: the second during the recovery."),
            .optional("scenario", \.file, .text, "File that reproduces it, in the folder of the results."),
            .optional("command", \.command, .text, "Command that reproduces the finding."),
        ])

    static let skipped = JSONShape<CrashResults.SkippedScenario>(
        name: "leftOut", doc: "A scenario that was not searched, or a file that can't be read.",
        blank: { CrashResults.SkippedScenario("", "") },
        fields: [
            .required("name", \.name, .text, "Name of the scenario, or path of the file."),
            .required("reason", \.reason, .text, "Reason in a sentence."),
        ])
}
