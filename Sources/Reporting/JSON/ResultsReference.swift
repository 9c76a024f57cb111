import Core

/// The members of `results.json` as Markdown tables, derived from the same shapes as writer, reader and
/// schema.
extension ResultsJSON {
    package static var reference: String {
        var text = """
            # Members of results.json

            What `otalab run` found, whole: every other report is derived from it.

            The first member is `"schema": "\(schema)"`. Members marked * are left out when they have no value;
            instants and durations are whole microseconds of virtual time. `otalab schema results` prints the JSON Schema
            (draft 2020-12).


            """
        text += table(ResultsShapes.run) + table(ResultsShapes.notRun) + table(ResultsShapes.seedRange)
        text += table(ResultsShapes.shard) + table(ResultsShapes.wall)
        text += table(ResultsShapes.scenario) + table(ResultsShapes.seeds) + table(ResultsShapes.times)
        text += table(ResultsShapes.running)
        text += table(ResultsShapes.step) + table(ResultsShapes.failure) + table(ResultsShapes.location)
        text += table(ResultsShapes.diagnostic) + table(ResultsShapes.related) + table(ResultsShapes.entry)
        text += table(ResultsShapes.line) + table(ResultsShapes.moment) + table(ResultsShapes.change)
        text +=
            table(ResultsShapes.coverage) + table(ResultsShapes.clause)
            + table(ResultsShapes.covering) + table(ResultsShapes.cell)
        return text
    }

    static func table<Root>(_ shape: JSONShape<Root>) -> String {
        var text = "## \(shape.name)\n\n\(shape.doc)\n\n| member | kind | |\n|---|---|---|\n"
        for field in shape.fields {
            var kind = KindWriter()
            text +=
                "| `\(field.name)`\(field.isRequired ? "" : " *") | \(kind.text(of: field)) | \(field.doc) |\n"
        }
        return text + "\n"
    }

    /// Describes a field's schema briefly.
    private struct KindWriter {
        mutating func text<Root>(of field: JSONField<Root>) -> String {
            var schema = SchemaWriter()
            schema.json.beginObject()
            field.describe(&schema)
            schema.json.endObject()
            guard let node = try? JSONReader.read(schema.json.bytes, dialect: .strict) else { return "" }
            return words(node)
        }

        private func words(_ node: JSONNode) -> String {
            if let name = node["$ref"]?.string?.split(separator: "/").last { return "\(name)" }
            if let items = node["items"] { return "list of \(words(items))" }
            if let all = node["enum"]?.array { return all.compactMap(\.string).joined(separator: ", ") }
            if node["pattern"] != nil { return "16 hexadecimal digits" }
            switch node["type"]?.string {
            case "string": return "text"
            case "integer": return "whole number"
            case "boolean": return "true or false"
            default: return ""
            }
        }
    }
}

extension CrashResultsJSON {
    package static var reference: String {
        var text = """
            # Members of crashpoints/results.json

            What `otalab crashpoints` found.

            The first member is `"schema": "\(schema)"`. Members marked * are left out when they have
            no value. `otalab schema crashpoints` prints the JSON Schema (draft 2020-12).


            """
        text += ResultsJSON.table(CrashShapes.search) + ResultsJSON.table(CrashShapes.scenario)
        text += ResultsJSON.table(CrashShapes.counts) + ResultsJSON.table(CrashShapes.classCounts)
        return text + ResultsJSON.table(CrashShapes.finding) + ResultsJSON.table(CrashShapes.skipped)
    }
}
