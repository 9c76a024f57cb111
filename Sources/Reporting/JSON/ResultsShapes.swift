import Authoring
import Core
import Oracle
import Runner
import Search

/// The members of `results.json`. Writer, reader, schema and reference are derived from this table.
enum ResultsShapes {
    /// Name of the list of results.
    static let scenarios = "scenarios"

    static let run = JSONShape<RunResults>(
        name: "run", doc: "Everything that one run, or several shards merged, found.",
        blank: { RunResults(toolVersion: "", commandLine: [], seed: 0) },
        fields: [
            .required("otalab", \.toolVersion, .text, "Version of the program."),
            .required(
                "commandLine", \.commandLine, .list(.text),
                "The call, without flags that never change a result (--jobs, --shard, -o …)."),
            .required("seed", \.seed, .seed, "Seed of all random choices; the first one of --seeds."),
            .optional("lastSeed", \.lastSeed, .seed, "The last one of --seeds A..B."),
            .optional(
                "subject", \.subject, .text,
                "Name and version of the updater behind an adapter (--subject); left out for the project's own."
            ),
            .required(
                "scenarioSet", \.scenarioSetDigest, .hex,
                "Digest over the paths and bytes of all selected files."),
            .required(
                "selected", \.selected, .count(), "Number of results that a complete run of all shards has."),
            .optional(
                "shard", \.shard, shard.form,
                "Which part of the selection this is; left out for a complete run."),
            .required(
                "partial", \.isPartial, .flag,
                "True when the run was interrupted and the results are therefore incomplete."),
            .optionalList(
                "notRun", \.notRun, notRun.form,
                "Scenarios that were selected and not run, because the run ended before; in the order of the files."
            ),
            .optional(
                "seedsNotRun", \.seedsNotRun, seedRange.form,
                "Seeds of --seeds that were not run for all scenarios, because the run ended before."),
            .wall(
                "startedAt", \.startedAt, .integer, "Seconds since 1970-01-01T00:00:00Z, by the wall clock."),
            .wall(
                "wall", \.wall, wall.form,
                "Duration of the run; of several shards the longest one, of parts of a search their sum."),
            .required(
                scenarios, \.scenarios, .list(scenario.form),
                "In the order of the files, cases and orders within them."),
            .required(
                "coverage", \.coverage, .list(coverage.form),
                "Rules with the scenarios that claim to cover them, in the order of the rules."),
            .optional(
                "search", \.search, SearchShapes.summary.form, "Of a search: what it tried and found."),
            .optionalList(
                "cells", \.cells, cell.form,
                "What the run has reached, in the order of the page Coverage; left out if it was not recorded."
            ),
        ])

    static let wall = JSONShape<WallTimes>(
        name: "wall",
        doc: "Times by the machine's wall clock, the only values that differ between equal runs.",
        blank: { WallTimes() },
        fields: [.required("microseconds", \.microseconds, .integer, "Duration in microseconds.")])

    static let scenario = JSONShape<ScenarioResult>(
        name: "scenario", doc: "Result of one scenario, or of one file that could not be read.",
        blank: { ScenarioResult(id: "", name: "", file: "", title: "") },
        fields: [
            .required(
                "place", \.selectionIndex, .count(),
                "Index in the whole selection, from 0; the same in every shard."),
            .required(
                "id", \.id, .text,
                "Stable id: the path below the scenario folder without extension, or the id in the file."
            ),
            .required("name", \.name, .text, "The id with case and order; unique within a run."),
            .required("file", \.file, .text, "Path as given to the program."),
            .required(
                "line", \.line, .count(from: 1),
                "Line of the first failure, else of the case, else 1."),
            .required("title", \.title, .text, "What it shows, in a sentence."),
            .optional("case", \.caseName, .text, "Name of the case, when the file has cases."),
            .required("covers", \.covers, .list(.text), "Ids of rules."),
            .required("tags", \.tags, .list(.text), "Tags in the file."),
            .optional("issue", \.issue, .text, "Issue, thread or commit that first described the problem."),
            .optional("reason", \.reason, .text, "The sentence of xfail or skip."),
            .required("device", \.device, .text, "The device profile."),
            .required(
                "seed", \.seed, .hex,
                "Seed of the scenario's world, computed from the run's seed and the name."),
            .optional("seeds", \.seeds, seeds.form, "Summary over several seeds (--seeds)."),
            .required("verdict", \.verdict, .keyword, "Outcome."),
            .required(
                "virtualMicroseconds", \.virtualDuration, .span,
                "Virtual duration of the scenario in microseconds."),
            .required("events", \.events, .count(), "Number of events in the world."),
            .required("digest", \.digest, .hex, "Rolling digest over all events; equal for equal runs."),
            .required("starts", \.starts, .count(), "Number of page loads that began a start."),
            .required("switches", \.switches, .count(), "Number of switches to another version."),
            .required("rescues", \.rescues, .count(), "Number of rollbacks to an older version."),
            .required("times", \.times, times.form, "How long the user waited."),
            .optionalList(
                "running", \.running, running.form, "Versions that the devices were to show at the end."),
            .required(
                "faultsNeverApplied", \.faultsNeverApplied, .list(.text),
                "Faults that met nothing; steps that met no app, or whose trigger had not come when the"
                    + " scenario ended early (of a whole scenario that is a failure)."),
            .optionalList("notes", \.notes, note.form, "The same with their kinds."),
            .optionalList(
                "dialogue", \.dialogue, .text,
                "What a subject (--subject) and the laboratory said to each other, oldest first; of a scenario"
                    + " that did not pass."),
            .required("steps", \.steps, .list(step.form), "In the order of the file, repeats opened."),
            .required(
                "failures", \.failures, .list(failure.form.converted(\.failure, FailureMembers.init)),
                "Failures, earliest first."),
            .required(
                "diagnostics", \.diagnostics, .list(diagnostic.form),
                "Errors in the file; warnings for a valid one."),
            .required("timeline", \.timeline, .list(entry.form), "What happened, oldest first."),
            .required(
                "timelineLeftOut", \.timelineLeftOut, .count(),
                "Entries left out of the timeline because there were too many."),
            .required(
                "moments", \.moments, .list(moment.form),
                "State of the device as differences from moment to moment; empty when no trace is kept."),
            .optional(
                "source", \.source, .text, "Text of the scenario file, when the scenario did not pass."),
            .wall("wall", \.wall, wall.form, "Wall-clock duration."),
        ])

    static let note = JSONShape<RunNote>(
        name: "note", doc: "Something that the scenario says and that had no effect.",
        blank: { RunNote(.other, "") },
        fields: [
            .required("kind", \.kind, .keyword, "What had no effect; other: written before notes had kinds."),
            .required("text", \.text, .text, "A fault's step, or a sentence."),
        ])

    static let seeds = JSONShape<SeedSummary>(
        name: "seeds", doc: "Results of one scenario for several seeds.",
        blank: { SeedSummary() },
        fields: [
            .required("run", \.run, .count(), "Number of seeds that were run."),
            .required("passed", \.passed, .count(), "Number of seeds with a good verdict."),
            .required(
                "failing", \.failing, .list(.seed), "The other seeds; this result is that of the first one."),
        ])

    static let times = JSONShape<TimesSummary>(
        name: "times", doc: "Waiting times in microseconds of virtual time.", blank: { TimesSummary() },
        fields: [
            .required("launches", \.launches, .list(.span), "From a launch to first content."),
            .required(
                "switches", \.switches, .list(.span), "From a switch to first content of the new version."),
            .required(
                "rescues", \.rescues, .list(.span),
                "From the end of a failed start to first content of what rescued it."),
            .required("white", \.white, .span, "Time with neither cover nor content."),
            .optional(
                "answersIdle", \.answersIdle, answerTimes.form,
                "From a page's request to the whole answer of the local server while no update was under way;"
                    + " left out if there was none. Answers of the remote root and requests without a"
                    + " complete answer do not count."),
            .optional(
                "answersDuringUpdate", \.answersDuringUpdate, answerTimes.form,
                "The same from the beginning of a download until the version was pending or the download had"
                    + " ended."),
        ])

    static let running = JSONShape<RunningVersion>(
        name: "running", doc: "The version that a device was to show at the end, as its updater reported it.",
        blank: { RunningVersion(version: "") },
        fields: [
            .optional("device", \.device, .text, "Name of the device, when the scenario has several."),
            .required("version", \.version, .text, "The version."),
            .optional(
                "age", \.age, .span,
                "How long it has been current by the origin's clock, in microseconds; left out if the device"
                    + " never learned the origin's time."),
        ])

    static let answerTimes = JSONShape<AnswerTimes>(
        name: "answerTimes", doc: "Times to answers of the local server, in microseconds of virtual time.",
        blank: { AnswerTimes(count: 0, median: .zero, worst: .zero) },
        fields: [
            .required("count", \.count, .count(from: 1), "Number of answers."),
            .required("median", \.median, .span, "Median; of an even number the lower of the middle two."),
            .required("worst", \.worst, .span, "The longest."),
        ])

    static let step = JSONShape<StepResult>(
        name: "step", doc: "A step of the scenario.", blank: { StepResult(index: 0, line: 1, text: "") },
        fields: [
            .required("index", \.index, .count(), "Index, from 0."),
            .required("line", \.line, .count(from: 1), "In the file."),
            .required("text", \.text, .text, "Short text of the step."),
            .optional(
                "startedAt", \.startedAt, .instant,
                "Microseconds of virtual time; of a step with a trigger when it first happened."),
            .optional(
                "endedAt", \.endedAt, .instant,
                "Microseconds of virtual time; of a step with a trigger when it last happened."),
            .required("outcome", \.outcome, .keyword, "Outcome."),
        ])

    static let location = JSONShape<FileLocation>(
        name: "place", doc: "A range in a scenario file, with its line.",
        blank: { FileLocation(file: "", line: 1, column: 1, length: 1, text: "") },
        fields: [
            .required("file", \.file, .text, "Path as given to the program."),
            .required("line", \.line, .count(from: 1), "From 1."),
            .required("column", \.column, .count(from: 1), "From 1, in Unicode scalars."),
            .required("length", \.length, .count(), "Length in Unicode scalars."),
            .required("text", \.text, .text, "The whole source line."),
        ])

    static let failure = JSONShape<FailureMembers>(
        name: "failure", doc: "One expectation or rule that did not hold.",
        blank: { FailureMembers(Failure(kind: .expectation, headline: "", at: .zero)) },
        fields: [
            .required("kind", \.members.kind, .keyword, "Kind of check that failed."),
            .optional("rule", \.members.rule, .text, "Id of the broken rule; left out for an expectation."),
            .optional(
                "step", \.members.step, .count(),
                "Index of the step, from 0; left out when no step is at fault."),
            .optional(
                "place", \.members.location, location.form, "Position of the failed check in the file."),
            .required("headline", \.members.headline, .text, "One sentence."),
            .required("expected", \.lists.expected, .list(.text), "The parts that differ."),
            .required("actual", \.lists.actual, .list(.text), "Actual values, one for each expected value."),
            .required(
                "parts", \.lists.parts, .list(.text), "Name of each expected value, when it has one."),
            .optional("because", \.members.because, .text, "The sentence of the step."),
            .optional("round", \.members.round, .text, "Iteration of a repeat: 3 of 5."),
            .optional("help", \.members.help, .text, "How to fix it, when the difference does not show it."),
            .optional(
                "wrongSince", \.members.wrongSince, .instant,
                "Instant from which it was wrong until the verdict."),
            .optional(
                "wrongSinceEvent", \.members.wrongSinceEvent, .count(),
                "Number of the event that made it wrong."),
            .required(
                "neverRight", \.members.wasNeverRight, .flag, "True when it was wrong from the beginning."),
            .optional("waitedFrom", \.members.waitedFrom, .instant, "Begin of the waiting time."),
            .optional("waitedTo", \.members.waitedTo, .instant, "End of the waiting time."),
            .required("at", \.members.at, .instant, "Instant at which the failure was found."),
            .required(
                "context", \.members.context, .list(line.form),
                "Source lines above the position: the last step that acted, and the beginning of the failed one."
            ),
            .required(
                "lastEvents", \.members.lastEvents, .list(entry.form),
                "Last events that led to the failure, oldest first."),
            .required(
                "eventsSoFar", \.members.eventsSoFar, .count(),
                "Number of events until the failure was found."),
            .required("reproduction", \.members.reproduction, .text, "Command that reproduces the failure."),
        ])

    static let line = JSONShape<SourceLine>(
        name: "line", doc: "A line of a scenario file.", blank: { SourceLine(line: 1, text: "") },
        fields: [
            .required("line", \.line, .count(from: 1), "From 1."),
            .required("text", \.text, .text, "Text without the line end."),
        ])

    static let moment = JSONShape<DeviceMoment>(
        name: "moment", doc: "What changed on the device at one moment.",
        blank: { DeviceMoment(lastEvent: 0, at: .zero, changes: []) },
        fields: [
            .required(
                "number", \.lastEvent, .count(),
                "Number of the last event by then; not always one of the timeline."),
            .required("at", \.at, .instant, "Microseconds of virtual time."),
            .required("changes", \.changes, .list(change.form), "Sorted by part and name."),
        ])

    static let change = JSONShape<DeviceMoment.Change>(
        name: "change", doc: "One item that appeared, changed or disappeared.",
        blank: { DeviceMoment.Change(.screen, "", nil) },
        fields: [
            .required("part", \.part, .keyword, "Part of the device."),
            .required(
                "name", \.name, .text,
                "Name of the item; prefixed with the device's name when there are several."),
            .optional("value", \.value, .text, "Description of the value; left out when the item is gone."),
        ])

    static let diagnostic = JSONShape<DiagnosticResult>(
        name: "diagnostic", doc: "Something wrong in a scenario file.",
        blank: {
            DiagnosticResult(
                code: "", isError: true, message: "", label: "",
                location: FileLocation(file: "", line: 1, column: 1, length: 1, text: ""))
        },
        fields: [
            .required("code", \.code, .text, "Stable code, for example E0103."),
            .required("error", \.isError, .flag, "False for a warning."),
            .required("message", \.message, .text, "One sentence."),
            .required("label", \.label, .text, "Text next to the caret; may be empty."),
            .required("place", \.location, location.form, "Position in the file."),
            .optional("help", \.help, .text, "How to fix it."),
            .required("related", \.related, .list(related.form), "Related positions."),
        ])

    static let related = JSONShape<DiagnosticResult.Related>(
        name: "related", doc: "A related position, with a sentence.",
        blank: {
            DiagnosticResult.Related(
                message: "", location: FileLocation(file: "", line: 1, column: 1, length: 1, text: ""))
        },
        fields: [
            .required("message", \.message, .text, "One sentence."),
            .required("place", \.location, location.form, "Position in the file."),
        ])

    static let entry = JSONShape<TimelineEntry>(
        name: "event", doc: "One event.",
        blank: { TimelineEntry(ordinal: 0, at: .zero, lane: .lab, text: "") },
        fields: [
            .required(
                "number", \.ordinal, .count(), "Increasing number within the scenario; cause refers to it."),
            .required("at", \.at, .instant, "Microseconds of virtual time."),
            .required("lane", \.lane, .keyword, "Actor."),
            .required("text", \.text, .text, "What happened."),
            .optional("step", \.step, .count(), "Index of the step during which it happened, from 0."),
            .optional("fault", \.fault, .text, "The fault that was applied here."),
            .optional("cause", \.cause, .count(), "Number of the event that led to it."),
        ])

    static let coverage = JSONShape<RuleCoverage>(
        name: "coverage", doc: "One rule with the scenarios that cover it.",
        blank: { RuleCoverage(rule: "", title: "", isInvariant: false, scenarios: []) },
        fields: [
            .required("rule", \.rule, .text, "Id of the rule."),
            .required("title", \.title, .text, "Name of the rule."),
            .required("invariant", \.isInvariant, .flag, "Checked after every event of every run."),
            .required(
                "scenarios", \.scenarios, .list(covering.form), "Scenarios that claim to cover the rule."),
            .optionalList("clauses", \.clauses, clause.form, "Its clauses, in the order of the rules."),
        ])

    static let cell = JSONShape<CoverageCount>(
        name: "cell", doc: "One coverage cell and how often it was reached.",
        blank: { CoverageCount(cell: CoverageCell(.cause, ""), count: 0) },
        fields: [
            .required("cell", \.cell, .cell, "Its text: `end: crash / downloading`, `decision: R3.clock`."),
            .required("count", \.count, .count(from: 1), "How often it was reached."),
        ])

    static let clause = JSONShape<RuleCoverage.ClauseEntry>(
        name: "clause", doc: "One promise or number of a rule, with the scenarios that cover it.",
        blank: { RuleCoverage.ClauseEntry(id: "", text: "", scenarios: []) },
        fields: [
            .required("id", \.id, .text, "Id of the clause."),
            .required("text", \.text, .text, "The promise."),
            .required("scenarios", \.scenarios, .list(.text), "Names of scenarios that cover the clause."),
            .optional("test", \.test, .text, "The suite that shows it where no scenario can."),
        ])

    static let covering = JSONShape<RuleCoverage.Entry>(
        name: "covering", doc: "A scenario that covers a rule.",
        blank: { RuleCoverage.Entry(name: "", verdict: .passed) },
        fields: [
            .required("name", \.name, .text, "Name of the scenario."),
            .required("verdict", \.verdict, .keyword, "Outcome."),
        ])
}
