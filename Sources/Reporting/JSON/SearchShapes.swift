import Runner

/// The member of `results.json` that only a search has.
enum SearchShapes {
    static let summary = JSONShape<SearchSummary>(
        name: "search", doc: "What a search tried and found: all of it, or one part.",
        blank: { SearchSummary(.sweep) },
        fields: [
            .required("kind", \.kind, .keyword, "The search."),
            .optionalList(
                "seeds", \.seeds, ResultsShapes.seedRange.form,
                "Seeds of the worlds that continue no other; those of all shards."),
            .required(
                "counts", \.counts.entries, .list(count.form), "Its figures, without those that are zero."),
            .optionalList(
                "findings", \.findings, finding.form,
                "Kinds of failures, in the order in which they were first found."),
            .optionalList(
                "costs", \.costs, cost.form,
                "How long each scenario was swept, for --shard-costs; left out with --no-timings."),
            .required("invalidFiles", \.hasInvalidFiles, .flag, "True when a selected file can't be read."),
        ])

    static let count = JSONShape<SearchCounts.Entry>(
        name: "searchCount", doc: "One figure.", blank: { SearchCounts.Entry(.worlds, 0) },
        fields: [
            .required("name", \.name, .keyword, "What is counted."),
            .required("value", \.value, .count(from: 1), "How many."),
        ])

    static let cost = JSONShape<ShardCosts.Entry>(
        name: "searchCost", doc: "How long one scenario was swept.",
        blank: { ShardCosts.Entry("", 0) },
        fields: [
            .required("file", \.name, .text, "Path as given to the program."),
            .required("microseconds", \.cost, .integer, "Duration by the machine's wall clock."),
        ])

    static let finding = JSONShape<SearchFinding>(
        name: "searchFinding", doc: "A kind of failure; its smallest file is one of the scenarios.",
        blank: { SearchFinding(key: "", headline: "", file: "", count: 0, earliest: []) },
        fields: [
            .required(
                "key", \.key, .text,
                "Equal for equal findings: kind of failure, rule, clause and pattern of the violation."),
            .required("headline", \.headline, .text, "The first one in a sentence."),
            .required("file", \.file, .text, "The file that shows it, below the folder of the report."),
            .required("count", \.count, .count(from: 1), "How often it was found."),
            .required(
                "earliest", \.earliest, .list(occurrence.form),
                "The first times that it was found, at most 8."),
        ])

    static let occurrence = JSONShape<SearchFinding.Occurrence>(
        name: "searchOccurrence", doc: "A time that a failure was found.",
        blank: { SearchFinding.Occurrence(ordinal: 1, "") },
        fields: [
            .required(
                "number", \.ordinal, .count(from: 1), "Of the world or scenario among all of the search."),
            .required("text", \.text, .text, "The world, or the disturbance and its scenario."),
        ])
}
