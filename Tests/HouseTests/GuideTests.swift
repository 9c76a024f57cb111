import Foundation
import Testing

@Suite("README and the pages of the guide")
struct GuideTests {
    private static let laboratory = "Sources/Runner/Runner.docc/"

    private func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: House.root.appendingPathComponent(path).path)
    }

    /// Files and folders of the repository that a text names in backticks: those below its folders, and
    /// pages of the guide by their names alone.
    private func paths(in text: String) -> [String] {
        text.matches(of: #/`([A-Za-z.][A-Za-z0-9._/-]*)`/#).map { String($0.1) }.compactMap { name in
            if name.contains("/") {
                return ["Sources/", "Tests/", "Scenarios/", ".ci/"].contains { name.hasPrefix($0) }
                    ? name : nil
            }
            return name.hasSuffix(".md") ? Self.laboratory + name : nil
        }
    }

    @Test("README is at most 200 lines long, and what it names exists")
    func readme() throws {
        let text = try House.text("README.md")
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 200)
        let named = paths(in: text)
        #expect(named.count > 20)
        for path in named { #expect(exists(path), "README names \(path)") }
    }

    @Test("every page is listed exactly once, on the first page of its catalogue")
    func listed() throws {
        let pages = House.files(under: "Sources", ending: ".md").filter { $0.contains(".docc/") }
        #expect(pages.count > 30)
        for page in pages {
            let parts = page.split(separator: "/").map(String.init)
            let root = String(parts[2].dropLast(".docc".count))
            let name = String(parts[3].dropLast(".md".count))
            if name == root { continue }
            let list = try House.text("Sources/\(root)/\(root).docc/\(root).md")
            let count = list.components(separatedBy: "<doc:\(name)>").count - 1
            #expect(count == 1, "\(page) is listed \(count) times")
        }
    }

    @Test("links lead to pages, and files that pages name exist")
    func links() throws {
        for page in House.files(under: "Sources", ending: ".md") where page.contains(".docc/") {
            let text = try House.text(page)
            let folder = page.split(separator: "/").dropLast().joined(separator: "/") + "/"
            for match in text.matches(of: #/<doc:(\w+)>/#) {
                #expect(exists(folder + match.1 + ".md"), "\(page) links to \(match.1)")
            }
            for path in paths(in: text)
            where !path.hasPrefix("Scenarios/") && !path.hasPrefix(Self.laboratory) {
                #expect(exists(path), "\(page) names \(path)")
            }
        }
    }

    @Test(
        "an app developer's page has no Swift that its sample app does not have",
        arguments: [
            ("Sources/OTAHost/OTAHost.docc/OTAHost.md", "Tests/Tools/ship/App"),
            ("Sources/OTAHostWebKit/OTAHostWebKit.docc/OTAHostWebKit.md", "Tests/Tools/apple-types/App"),
        ])
    func sampleApp(page: String, app: String) throws {
        let blocks = try House.text(page).components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        #expect(blocks.count >= 3)
        let sources = try House.files(under: app, ending: ".swift").map(House.text)
        #expect(sources.count >= 2)
        for block in blocks { #expect(sources.contains { $0.contains(block) }, "\(block)") }
    }

    @Test("the sample app that the README names has 40 lines")
    func shortApp() throws {
        let lines = try House.text("Tests/Tools/ship/App/Sources/App/main.swift").split(separator: "\n")
        #expect(lines.count <= 40)
    }

    @Test("the finding that the page on searches tells of is mended, and its scenario is in the library")
    func finding() throws {
        let page = try House.text(Self.laboratory + "SearchForTrouble.md")
        let kept = try #require(page.firstMatch(of: #/`(Scenarios/storage/[a-z-]+\.json5)`/#)?.1)
        #expect(exists(String(kept)), "\(kept)")
        let blocks = page.components(separatedBy: "```json5\n").dropFirst()
        let file = try #require(blocks.first?.components(separatedBy: "```").first)
        let project = try TestProject()
        try project.write("finding.json5", file)
        let run = try project.otalab("run", "--no-report")
        #expect(run.code == 0, "\(run.text)\(run.errors)")
        #expect(try project.otalab("fmt", "--check").code == 0)
    }

    @Test(
        "the first scenario of README and guide is the file of the library",
        arguments: ["README.md", laboratory + "WritingScenarios.md"])
    func scenario(page: String) throws {
        let file = try House.text("Scenarios/updating/on-reload.json5")
        #expect(try House.text(page).contains("```json5\n" + file + "```\n"))
    }
}
