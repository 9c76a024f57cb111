import Core
import Foundation
import Testing

@testable import ScenarioLanguage

@Suite("The language as JSON Schema and as a reference")
struct SchemaTests {
    private func schema(_ root: LanguageSchema.Root) throws -> JSONNode {
        try JSONReader.read(Array(LanguageSchema.text(of: root).utf8), dialect: .strict)
    }

    @Test(
        "it has every field of the table with its documentation and its default",
        arguments: LanguageSchema.Root.allCases)
    func fields(root: LanguageSchema.Root) throws {
        let node = try schema(root)
        for schema in ObjectSchema.all(from: root.schema) {
            let object = schema == root.schema ? node : try #require(node["definitions"]?[schema.name])
            #expect(object["additionalProperties"]?.bool == false)
            #expect(object["properties"]?.members?.map(\.key) == schema.fields.map(\.key))
            for field in schema.fields {
                let property = try #require(object["properties"]?[field.key])
                #expect(property["description"]?.string == field.doc)
                #expect((property["default"] != nil) == (field.shownDefault != nil))
            }
            let required = object["required"]?.array?.compactMap(\.string) ?? []
            #expect(
                required
                    == schema.fields.filter {
                        $0.isRequired && !(schema == .scenario && UsedFiles.keys.contains($0.key))
                    }.map(\.key))
        }
        #expect(node["allowComments"]?.bool == true && node["allowTrailingCommas"]?.bool == true)
    }

    @Test("schemas have unique names, and every schema of the table is reachable from a file")
    func names() {
        let schemas = ObjectSchema.all(from: .scenario) + ObjectSchema.all(from: .profile)
        let names = schemas.map(\.name)
        #expect(names.sorted() == Array(Set(names)).sorted())
        for schema in [ObjectSchema.scenario, .crash, .variant, .audience, .profile, .messages, .damage] {
            #expect(schemas.contains(schema))
        }
    }

    @Test("every reference has a definition", arguments: LanguageSchema.Root.allCases)
    func references(root: LanguageSchema.Root) throws {
        let node = try schema(root)
        let text = LanguageSchema.text(of: root)
        let found = text.matches(of: #/"\$ref": "#/definitions/(\w+)"/#).map { String($0.1) }
        #expect(found.count > 5)
        for name in found { #expect(node["definitions"]?[name] != nil, "\(name)") }
    }

    @Test("the reference has a row for every field of the table", arguments: LanguageSchema.Root.allCases)
    func reference(root: LanguageSchema.Root) {
        let text = LanguageReference.markdown(of: root)
        for schema in root == .use ? [root.schema] : ObjectSchema.all(from: root.schema) {
            switch schema {
            case .bounds, .listing, .fact: continue
            default: break
            }
            guard
                let section = text.components(separatedBy: "## \(schema.name)\n").dropFirst().first?
                    .components(separatedBy: "\n## ").first
            else {
                Issue.record("no section \(schema.name)")
                continue
            }
            for field in schema.fields {
                #expect(section.contains("\n| `\(field.key)` |"), "\(schema.name).\(field.key)")
            }
        }
    }
}
