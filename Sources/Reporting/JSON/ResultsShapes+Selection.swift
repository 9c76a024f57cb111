import Runner

// Which part of a selection was run.
extension ResultsShapes {
    static let notRun = JSONShape<NotRun>(
        name: "notRun", doc: "A scenario that was selected and not run.",
        blank: {
            NotRun(ScenarioResult(id: "", name: "", file: "", title: ""), selectionIndex: 0)
        },
        fields: [
            .required("place", \.selectionIndex, .count(), "Index in the whole selection, from 0."),
            .required("id", \.id, .text, "Id of the scenario."),
            .required("name", \.name, .text, "The id with case and order."),
            .required("file", \.file, .text, "Path as given to the program."),
            .required("line", \.line, .count(from: 1), "Line of the case, else 1."),
            .required("title", \.title, .text, "What the scenario shows, in a sentence."),
            .required("reason", \.reason, .keyword, "What ended the run before it."),
        ])

    static let seedRange = JSONShape<SeedRange>(
        name: "seedRange", doc: "A range of seeds; both ends are included.",
        blank: { SeedRange(first: 0, last: 0) },
        fields: [
            .required("first", \.first, .seed, "First seed."),
            .required("last", \.last, .seed, "Last seed."),
        ])

    static let shard = JSONShape<Shard>(
        name: "shard",
        doc:
            "One of several parts of a selection, by a stable hash of the scenario's id or by earlier costs.",
        blank: { Shard(ordinal: 1, of: 1) },
        fields: [
            .required("number", \.ordinal, .count(from: 1), "From 1."),
            .required("of", \.count, .count(from: 1), "How many shards there are."),
            .optional(
                "costs", \.costsDigest, .hex,
                "Digest of the costs by which the shards are balanced; left out without --shard-costs."),
        ])
}
