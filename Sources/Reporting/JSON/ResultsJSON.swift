import Core
import Runner

/// `results.json`: the complete results in a versioned schema. All other formats are derived from it.
///
/// Guarantees: equal results give equal bytes; reading what was written gives an equal value; wall-clock
/// times are separate members and can be left out. Reading throws ``ResultsFault`` with the path to the
/// member.
package enum ResultsJSON {
    package static let schema = "otalab-results-1"

    private static let limits = JSONLimits(maxBytes: 1 << 30, maxDepth: 16, maxNodes: .max)

    package static func bytes(_ results: RunResults, wall: Bool = true) -> [UInt8] {
        ResultsShapes.run.document(results, schema: schema, wall: wall)
    }

    /// Writes the same bytes in parts.
    /// - Parameters:
    ///   - passed: results of scenarios that passed, of which `results` has only a summary.
    ///   - sink: takes the parts in order.
    package static func write(
        _ results: RunResults, passed: ResultSpool?, to sink: ([UInt8]) throws(ReportError) -> Void
    ) throws(ReportError) {
        var out = ResultsWriter(json: JSONWriter(indent: 1), wall: true)
        out.json.beginObject()
        out.json.member("schema", schema)
        for field in ResultsShapes.run.fields {
            guard field.name == ResultsShapes.scenarios else {
                field.write(results, &out)
                continue
            }
            out.json.key(field.name)
            out.json.beginArray()
            for scenario in results.scenarios {
                if scenario.verdict == .passed, let bytes = try passed?.bytes(of: scenario) {
                    out.json.serialized(try ResultsJSON.element(bytes, withSeedsOf: scenario))
                } else {
                    ResultsShapes.scenario.form.write(scenario, &out)
                }
                try sink(out.json.takeBytes())
            }
            out.json.endArray()
        }
        out.json.endObject()
        try sink(out.json.takeBytes() + [0x0a])
    }

    /// One result as an element of the list in ``bytes(_:wall:)``.
    static func element(_ result: ScenarioResult) -> [UInt8] {
        var out = ResultsWriter(json: JSONWriter(indent: 1), wall: true)
        out.json.beginObject()
        out.json.key(ResultsShapes.scenarios)
        out.json.beginArray()
        _ = out.json.takeBytes()
        ResultsShapes.scenario.form.write(result, &out)
        // Without the line end and the indent before it.
        return Array(out.json.bytes.drop { $0 != UInt8(ascii: "{") })
    }

    /// The element of one seed's result, with the counts over all seeds if there were several.
    private static func element(
        _ bytes: [UInt8], withSeedsOf scenario: ScenarioResult
    ) throws(ReportError) -> [UInt8] {
        guard let seeds = scenario.seeds else { return bytes }
        do {
            let node = try JSONReader.read(bytes, dialect: .strict, limits: ResultsJSON.limits)
            var result = try ResultsShapes.scenario.form.read(node)
            result.seeds = seeds
            result.wall = scenario.wall
            return element(result)
        } catch {
            throw ReportError(path: "results.json", why: "the result of \(scenario.name) can't be read back")
        }
    }

    /// One result in the same schema, for another process of the same program.
    package static func bytes(_ result: ScenarioResult) -> [UInt8] {
        ResultsShapes.scenario.document(result, schema: schema, wall: true, indent: 0)
    }

    package static func readResult(_ bytes: [UInt8]) throws(ResultsFault) -> ScenarioResult {
        try read(bytes, ResultsShapes.scenario)
    }

    package static func read(_ bytes: [UInt8]) throws(ResultsFault) -> RunResults {
        try read(bytes, ResultsShapes.run)
    }

    /// Results of any call, by the schema that they name.
    package static func readStored(_ bytes: [UInt8]) throws(ResultsFault) -> StoredResults {
        let root = try node(bytes)
        guard root["schema"]?.string == CrashResultsJSON.schema else { return .run(try read(root)) }
        return .crashPoints(try read(root, CrashShapes.search, CrashResultsJSON.schema, "results.json"))
    }

    /// - Parameter name: what the text should be, for errors.
    static func read<Root>(
        _ bytes: [UInt8], _ shape: JSONShape<Root>, schema: String = schema, name: String = "results.json"
    ) throws(ResultsFault) -> Root {
        try read(try node(bytes), shape, schema, name)
    }

    private static func node(_ bytes: [UInt8]) throws(ResultsFault) -> JSONNode {
        do throws(JSONFault) {
            return try JSONReader.read(bytes, dialect: .strict, limits: ResultsJSON.limits)
        } catch {
            let line = bytes.prefix(error.span.start).count { $0 == 0x0a } + 1
            throw ResultsFault(member: "line \(line)", why: error.message)
        }
    }

    /// A document that is part of another one.
    static func read(_ node: JSONNode) throws(ResultsFault) -> RunResults {
        try read(node, ResultsShapes.run, schema, "results.json")
    }

    private static func read<Root>(
        _ root: JSONNode, _ shape: JSONShape<Root>, _ schema: String, _ name: String
    ) throws(ResultsFault) -> Root {
        guard let found = root["schema"]?.string else {
            throw ResultsFault(member: "schema", why: "is missing: this is no \(name) of otalab")
        }
        guard found == schema else {
            throw ResultsFault(member: "schema", why: "is '\(found)'; this program reads '\(schema)'")
        }
        let rest = JSONNode(
            .object((root.members ?? []).filter { $0.key != "schema" }), span: root.span)
        do {
            return try shape.form.read(rest)
        } catch {
            let fault = error as? JSONFormError
            throw ResultsFault(member: fault?.path ?? "", why: fault?.message ?? "\(error)")
        }
    }

    /// The JSON Schema of ``bytes(_:wall:)``, draft 2020-12.
    package static var schemaBytes: [UInt8] {
        ResultsShapes.run.schemaDocument("results.json of otalab", schema: schema)
    }
}

/// Why a text is not a valid `results.json`.
package struct ResultsFault: Error, Hashable {
    /// Path to the member, for example `scenarios[3].verdict`, or a line.
    package var member: String
    package var why: String

    package init(member: String, why: String) {
        self.member = member
        self.why = why
    }
}
