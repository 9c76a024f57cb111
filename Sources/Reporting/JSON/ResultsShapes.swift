import Authoring
import Core
import Oracle
import Runner
import Search

/// The members of `results.json`, one row each: the writer, the reader, the schema and the reference follow.
enum ResultsShapes {
    static let run = Shape<RunResults>(
        name: "run", doc: "Everything that one run, or several shards merged, found.",
        blank: { RunResults(toolVersion: "", commandLine: [], seed: 0) },
        fields: [
            .need("otalab", \.toolVersion, .text, "Version of the program."),
            .need(
                "commandLine", \.commandLine, .list(.text),
                "The call, without flags that never change a result (--jobs, --shard, -o …)."),
            .need("seed", \.seed, .seed, "What the keyed choices start from; the first one of --seeds."),
            .may("lastSeed", \.lastSeed, .seed, "The last one of --seeds A..B."),
            .need(
                "scenarioSet", \.scenarioSetDigest, .hex,
                "Over the paths and bytes of all files that the paths name."),
            .need("selected", \.selected, .count(), "Results that a whole run of all shards has."),
            .may(
                "shard", \.shard, shard.form,
                "Which part of the selection this is; not there for a whole run."),
            .need("partial", \.isPartial, .flag, "Interrupted: what there is is true but not all."),
            .some(
                "notRun", \.notRun, notRun.form,
                "What was selected and not run, since the run ended before; in the order of the files."),
            .may(
                "seedsNotRun", \.seedsNotRun, seedRange.form,
                "Seeds of --seeds that were not run, or not for all scenarios, since the run ended before."),
            .wall(
                "startedAt", \.startedAt, .integer, "Seconds since 1970-01-01T00:00:00Z, by the wall clock."),
            .wall("wall", \.wall, wall.form, "How long it took; of shards, the longest."),
            .need(
                "scenarios", \.scenarios, .list(scenario.form),
                "In the order of the files, cases and orders within them."),
            .need(
                "coverage", \.coverage, .list(coverage.form),
                "Rules and the scenarios that say they cover them, in the order of the rulebook."),
        ])

    static let notRun = Shape<NotRun>(
        name: "notRun", doc: "A scenario that was selected and not run.",
        blank: {
            NotRun(ScenarioResult(id: "", name: "", file: "", title: ""), place: 0)
        },
        fields: [
            .need("place", \.place, .count(), "Its place in the whole selection, from 0."),
            .need("id", \.id, .text, "As that of a scenario."),
            .need("name", \.name, .text, "The id with case and order."),
            .need("file", \.file, .text, "As given to the program."),
            .need("line", \.line, .count(from: 1), "That of the case, else 1."),
            .need("title", \.title, .text, "What it would show, in a sentence."),
            .need("reason", \.reason, .word, "What ended the run before it."),
        ])

    static let seedRange = Shape<SeedRange>(
        name: "seedRange", doc: "Seeds in a row, both ends included.",
        blank: { SeedRange(first: 0, last: 0) },
        fields: [
            .need("first", \.first, .seed, "The first one."),
            .need("last", \.last, .seed, "The last one."),
        ])

    static let shard = Shape<Shard>(
        name: "shard", doc: "One of several parts of a selection, by a stable hash of the scenario's id.",
        blank: { Shard(number: 1, of: 1) },
        fields: [
            .need("number", \.number, .count(from: 1), "From 1."),
            .need("of", \.count, .count(from: 1), "How many shards there are."),
        ])

    static let wall = Shape<WallTimes>(
        name: "wall",
        doc: "By the wall clock of the machine: the only figures that differ between equal runs.",
        blank: { WallTimes() },
        fields: [.need("microseconds", \.microseconds, .integer, "How long it took.")])

    static let scenario = Shape<ScenarioResult>(
        name: "scenario", doc: "What became of one scenario, or of one file that could not be read.",
        blank: { ScenarioResult(id: "", name: "", file: "", title: "") },
        fields: [
            .need(
                "place", \.place, .count(), "Its place in the whole selection, from 0; shards keep it."),
            .need(
                "id", \.id, .text, "Stable: the path below the scenario folder without extension, or its own."
            ),
            .need("name", \.name, .text, "The id with case and order: unique within a run."),
            .need("file", \.file, .text, "As given to the program."),
            .need(
                "line", \.line, .count(from: 1),
                "That of the first failure, else of the case, else 1."),
            .need("title", \.title, .text, "What it shows, in a sentence."),
            .may("case", \.caseName, .text, "Where the file has cases."),
            .need("covers", \.covers, .list(.text), "Ids of the rulebook."),
            .need("tags", \.tags, .list(.text), "As the file says."),
            .may("issue", \.issue, .text, "A thread or commit where the story was told first."),
            .may("reason", \.reason, .text, "The sentence of xfail or skip."),
            .need("device", \.device, .text, "The device profile."),
            .need("seed", \.seed, .hex, "Of its world: worked out from the run's seed and the name."),
            .may("seeds", \.seeds, seeds.form, "Where it was run for several seeds (--seeds)."),
            .need("verdict", \.verdict, .word, "What became of it."),
            .need("virtualMicroseconds", \.virtualDuration, .span, "How long the story took."),
            .need("events", \.events, .count(), "Events of its world."),
            .need("digest", \.digest, .hex, "Rolling over every event: equal for equal runs."),
            .need("starts", \.starts, .count(), "Page loads that began a start."),
            .need("switches", \.switches, .count(), "Switches to another version."),
            .need("rescues", \.rescues, .count(), "Ways back to an older version."),
            .need("times", \.times, times.form, "How long the person in front waited."),
            .need(
                "faultsNeverApplied", \.faultsNeverApplied, .list(.text),
                "Faults that met nothing; steps that met no app, or whose trigger had not come when the story"
                    + " ended early (of a whole story that is a failure)."),
            .some("notes", \.notes, note.form, "The same with their kinds."),
            .need("steps", \.steps, .list(step.form), "In the order of the file, repeats opened."),
            .need("failures", \.failures, .list(failure.form), "What did not hold, first one first."),
            .need(
                "diagnostics", \.diagnostics, .list(diagnostic.form),
                "What is wrong with the file; warnings for a valid one."),
            .need("timeline", \.timeline, .list(entry.form), "What happened, oldest first."),
            .need(
                "timelineLeftOut", \.timelineLeftOut, .count(),
                "Entries left out of the timeline because there were too many."),
            .need(
                "moments", \.moments, .list(moment.form),
                "What was on the device, as differences from moment to moment; empty where no trace is kept."),
            .may("source", \.source, .text, "The scenario file, where it did not pass."),
            .wall("wall", \.wall, wall.form, "How long the machine took."),
        ])

    static let note = Shape<RunNote>(
        name: "note", doc: "Something that the scenario says and that had no effect.",
        blank: { RunNote(.other, "") },
        fields: [
            .need("kind", \.kind, .word, "What had no effect; other: written before notes had kinds."),
            .need("text", \.text, .text, "A fault's step, or a sentence."),
        ])

    static let seeds = Shape<SeedSummary>(
        name: "seeds", doc: "What became of one scenario for each of several seeds.",
        blank: { SeedSummary() },
        fields: [
            .need("run", \.run, .count(), "Seeds that were run."),
            .need("passed", \.passed, .count(), "Seeds with a good verdict."),
            .need("failing", \.failing, .list(.seed), "The others; the result told here is the first one's."),
        ])

    static let times = Shape<TimesSummary>(
        name: "times", doc: "Waiting times in microseconds of virtual time.", blank: { TimesSummary() },
        fields: [
            .need("launches", \.launches, .list(.span), "From a launch to first content."),
            .need("switches", \.switches, .list(.span), "From a switch to first content of the new version."),
            .need(
                "rescues", \.rescues, .list(.span),
                "From the end of a failed start to first content of what rescued it."),
            .need("white", \.white, .span, "Time with neither cover nor content."),
        ])

    static let step = Shape<StepResult>(
        name: "step", doc: "A step of the story.", blank: { StepResult(index: 0, line: 1, text: "") },
        fields: [
            .need("index", \.index, .count(), "From 0."),
            .need("line", \.line, .count(from: 1), "In the file."),
            .need("text", \.text, .text, "The step in short."),
            .may(
                "startedAt", \.startedAt, .instant,
                "Microseconds of virtual time; of a step with a trigger when it first happened."),
            .may(
                "endedAt", \.endedAt, .instant,
                "Microseconds of virtual time; of a step with a trigger when it last happened."),
            .need("outcome", \.outcome, .word, "What became of it."),
        ])

    static let place = Shape<SourcePlace>(
        name: "place", doc: "A place in a scenario file, with its line.",
        blank: { SourcePlace(file: "", line: 1, column: 1, length: 1, text: "") },
        fields: [
            .need("file", \.file, .text, "As given to the program."),
            .need("line", \.line, .count(from: 1), "From 1."),
            .need("column", \.column, .count(from: 1), "From 1, in Unicode scalars."),
            .need("length", \.length, .count(), "Unicode scalars that are meant."),
            .need("text", \.text, .text, "The whole source line."),
        ])

    static let failure = Shape<Failure>(
        name: "failure", doc: "One thing that did not hold.",
        blank: { Failure(kind: .expectation, headline: "", at: .zero) },
        fields: [
            .need("kind", \.kind, .word, "What was asked."),
            .may("rule", \.rule, .text, "The rule of the rulebook; not there for an expectation."),
            .may("step", \.step, .count(), "From 0; not there where no step is at fault."),
            .may("place", \.place, place.form, "Where the file asks for it."),
            .need("headline", \.headline, .text, "One sentence."),
            .need("expected", \.expected, .list(.text), "The parts that differ."),
            .need("actual", \.actual, .list(.text), "What was found, part for part."),
            .need(
                "parts", \.parts, .list(.text), "What each of the differing parts is about, where they say."),
            .may("because", \.because, .text, "The sentence of the step."),
            .may("round", \.round, .text, "Which round of a repeat it was: 3 of 5."),
            .may("help", \.help, .text, "What to write, where more than the difference is to be said."),
            .may("wrongSince", \.wrongSince, .instant, "From when it was wrong until the verdict."),
            .may("wrongSinceEvent", \.wrongSinceEvent, .count(), "Number of the event that made it wrong."),
            .need("neverRight", \.wasNeverRight, .flag, "It was wrong from the beginning."),
            .may("waitedFrom", \.waitedFrom, .instant, "Begin of the time that was given."),
            .may("waitedTo", \.waitedTo, .instant, "End of it."),
            .need("at", \.at, .instant, "When it was found."),
            .need(
                "context", \.context, .list(line.form),
                "Lines above the place: the step that acted last, the beginning of the failed one."),
            .need("lastEvents", \.lastEvents, .list(entry.form), "The last that bear on it, oldest first."),
            .need("eventsSoFar", \.eventsSoFar, .count(), "Events until it was found, of which those are."),
            .need("reproduction", \.reproduction, .text, "One command that shows it again."),
        ])

    static let line = Shape<SourceLine>(
        name: "line", doc: "A line of a scenario file.", blank: { SourceLine(line: 1, text: "") },
        fields: [
            .need("line", \.line, .count(from: 1), "From 1."),
            .need("text", \.text, .text, "Without its end."),
        ])

    static let moment = Shape<DeviceMoment>(
        name: "moment", doc: "What changed on the device at one moment.",
        blank: { DeviceMoment(number: 0, at: .zero, changes: []) },
        fields: [
            .need("number", \.number, .count(), "Of the last event by then; not always one of the timeline."),
            .need("at", \.at, .instant, "Microseconds of virtual time."),
            .need("changes", \.changes, .list(change.form), "Sorted by part and name."),
        ])

    static let change = Shape<DeviceMoment.Change>(
        name: "change", doc: "One thing that is there now, is another one, or is gone.",
        blank: { DeviceMoment.Change(.screen, "", nil) },
        fields: [
            .need("part", \.part, .word, "Where it stands."),
            .need("name", \.name, .text, "What it is; the device's name before it where there are several."),
            .may("value", \.value, .text, "In words; not there where the thing is gone."),
        ])

    static let diagnostic = Shape<DiagnosticResult>(
        name: "diagnostic", doc: "Something wrong in a scenario file.",
        blank: {
            DiagnosticResult(
                code: "", isError: true, message: "", label: "",
                place: SourcePlace(file: "", line: 1, column: 1, length: 1, text: ""))
        },
        fields: [
            .need("code", \.code, .text, "Stable: E0103."),
            .need("error", \.isError, .flag, "False for a warning."),
            .need("message", \.message, .text, "One sentence."),
            .need("label", \.label, .text, "Beside the caret; may be empty."),
            .need("place", \.place, place.form, "Where."),
            .may("help", \.help, .text, "What to write instead."),
            .need("related", \.related, .list(related.form), "Other places that belong to it."),
        ])

    static let related = Shape<DiagnosticResult.Related>(
        name: "related", doc: "Another place, with a sentence.",
        blank: {
            DiagnosticResult.Related(
                message: "", place: SourcePlace(file: "", line: 1, column: 1, length: 1, text: ""))
        },
        fields: [
            .need("message", \.message, .text, "One sentence."),
            .need("place", \.place, place.form, "Where."),
        ])

    static let entry = Shape<TimelineEntry>(
        name: "event", doc: "One thing that happened.",
        blank: { TimelineEntry(number: 0, at: .zero, lane: .lab, text: "") },
        fields: [
            .need("number", \.number, .count(), "Rising within its scenario; what cause refers to."),
            .need("at", \.at, .instant, "Microseconds of virtual time."),
            .need("lane", \.lane, .word, "Who did it."),
            .need("text", \.text, .text, "What happened."),
            .may("step", \.step, .count(), "The step in whose time it happened, from 0."),
            .may("fault", \.fault, .text, "The fault that was applied here."),
            .may("cause", \.cause, .count(), "Number of the event that led to it."),
        ])

    static let coverage = Shape<RuleCoverage>(
        name: "coverage", doc: "One row of the table rules × scenarios.",
        blank: { RuleCoverage(rule: "", title: "", isInvariant: false, scenarios: []) },
        fields: [
            .need("rule", \.rule, .text, "Its id."), .need("title", \.title, .text, "Its name."),
            .need("invariant", \.isInvariant, .flag, "Checked after every event of every run."),
            .need("scenarios", \.scenarios, .list(covering.form), "Those that say they cover it."),
        ])

    static let covering = Shape<RuleCoverage.Entry>(
        name: "covering", doc: "A scenario that covers a rule.",
        blank: { RuleCoverage.Entry(name: "", verdict: .passed) },
        fields: [
            .need("name", \.name, .text, "Of the scenario."),
            .need("verdict", \.verdict, .word, "What became of it."),
        ])
}
