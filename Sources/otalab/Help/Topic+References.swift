import Publishing
import ScenarioLanguage

extension Topic {
    static let manifest = Topic(
        name: "manifest", page: "Manifest", summary: "every field of a release's manifest",
        text: ManifestPage.text)

    static let language = Topic(
        name: "language", page: "LanguageReference", summary: "every key of scenario files, with an example",
        text: """
            # The scenario language

            Every key, from the table by which the reader validates files. A scenario is a JSON5 file. **else** is
            the default that applies when the key is missing. A duration has units (`250ms`, `1h 30m`), a size too
            (`40 KB`, `4 MiB`). `"$key"` instead of any value is the value `key` of each of the `cases`. Keys of one
            word are found with `otalab help language | grep -i WORD`.


            """ + tables.joined(separator: "\n"))

    private static var tables: [String] {
        LanguageSchema.Root.allCases.map { LanguageReference.markdown(of: $0) }
    }
}
