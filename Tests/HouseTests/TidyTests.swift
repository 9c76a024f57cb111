import Foundation
import Testing

/// The checkout that these tests were built from.
enum House {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    static func files(under folder: String, ending: String) -> [String] {
        let found = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
        return (found?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(ending) }.sorted()
            .map { folder + "/" + $0 }
    }
}

@Suite("Rules for the source files")
struct TidyTests {
    private func tidy() throws -> Tidy { Tidy(manifest: try House.text("Package.swift")) }

    private func findings(_ path: String, _ text: String) throws -> [String] {
        try tidy().findings(in: Tidy.Source(path: path, text: text)).map(\.what)
    }

    @Test("no source file breaks a rule")
    func sources() throws {
        let paths = House.files(under: "Sources", ending: ".swift")
        #expect(paths.count > 100)
        let sources = try paths.map { Tidy.Source(path: $0, text: try House.text($0)) }
        let found = try tidy().findings(in: sources)
        #expect(found.isEmpty, "\(found.map(\.description).joined(separator: "\n"))")
    }

    @Test("the manifest's dependencies are parsed, and the top folder has only the expected entries")
    func top() throws {
        let tidy = try tidy()
        #expect(tidy.allowed["Core"] == [Tidy.instructions.name])
        #expect(tidy.allowed["HTTP1"] == ["Core"])
        #expect(tidy.allowed["AppHost"] == ["Core", "HTTP1", "Updater", "LocalServer"])
        #expect(tidy.allowed["otalab"]?.contains("Runner") == true)
        // It shares no code with the updater, so that one mistake can't be on both sides.
        #expect(tidy.allowed["ReferenceModel"] == ["Core", "Backend"])
        let names = try FileManager.default.contentsOfDirectory(atPath: House.root.path)
            .filter { !$0.hasPrefix(".") }.sorted()
        #expect(names == ["Package.swift", "README.md", "Reports", "Scenarios", "Sources", "Tests"])
    }

    @Test("the README draws every module once, and each import points down in the drawing")
    func drawing() throws {
        let tidy = try tidy()
        let layers = tidy.layers(drawnIn: try House.text("README.md"))
        #expect(tidy.findings(inDrawing: layers) == [])
        #expect(tidy.allowed.count > 15)

        var wrong = Tidy(manifest: #"module("A") module("B", ["A"]) module("C", ["B"]) module("D")"#)
        let text = "## How it is built\n\n```\n B  C   what they are\n A\n C\n```\n"
        #expect(wrong.layers(drawnIn: text) == [["B", "C"], ["A"], ["C"]])
        #expect(
            wrong.findings(inDrawing: wrong.layers(drawnIn: text)) == [
                "C is drawn 2 times", "D is drawn 0 times",
            ])
        wrong.allowed["D"] = nil
        #expect(
            wrong.findings(inDrawing: [["B", "C"], ["A"]]) == ["C imports B, which is not drawn below it"])
    }

    @Test(
        "each banned word is found in a pure module, and not in comments, strings or upper modules",
        arguments: Tidy.banned)
    func bans(word: String) throws {
        let line = "let a = \(word)\n"
        #expect(try findings("Sources/Updater/A.swift", line) == ["banned: \(word)"])
        #expect(try findings("Sources/Updater/A.swift", "// \(word)\nlet b = \"\(word)\"\n").isEmpty)
        #expect(try findings("Sources/Runner/A.swift", line).isEmpty)
    }

    @Test("a dictionary type is found by its shape")
    func dictionaries() throws {
        #expect(
            try findings("Sources/World/A.swift", "var a: [String: Int] = x\n") == [
                "banned: a dictionary type"
            ])
        #expect(try findings("Sources/World/A.swift", "var a = b ?? [:]\n") == ["banned: a dictionary type"])
        #expect(try findings("Sources/World/A.swift", "let a = b ? c[d] : e\n").isEmpty)
        #expect(
            try findings("Sources/ScenarioLanguage/Reading/LookupTable.swift", "var a: [String: Int] = x\n")
                .isEmpty)
    }

    @Test("an import that points up or sideways, and Foundation below the runner, are found")
    func imports() throws {
        #expect(try findings("Sources/Core/A.swift", "import World\n") == ["Core imports World"])
        #expect(
            try findings("Sources/Updater/A.swift", "import LocalServer\n") == ["Updater imports LocalServer"]
        )
        #expect(
            try findings("Sources/AppHost/A.swift", "import Foundation\n") == ["AppHost imports Foundation"])
        #expect(
            try findings("Sources/Runner/A.swift", "import Reporting\n") == [
                "Runner imports Reporting"
            ])
        #expect(try findings("Sources/DeviceShell/A.swift", "import Glibc\nimport Core\n").isEmpty)
        #expect(
            try findings("Sources/DeviceShell/A.swift", "import Foundation\n") == [
                "DeviceShell imports Foundation"
            ])
        #expect(try findings("Sources/Reporting/A.swift", "import Foundation\nimport Runner\n").isEmpty)
        #expect(try findings("Sources/OTAHostWebKit/A.swift", "    import WebKit\nimport OTAHost\n").isEmpty)
        #expect(
            try findings("Sources/OTAHostWebKit/A.swift", "import Glibc\nimport World\n") == [
                "OTAHostWebKit imports Glibc", "OTAHostWebKit imports World",
            ])
        #expect(try findings("Sources/OTAHost/A.swift", "import UIKit\n") == ["OTAHost imports UIKit"])
    }

    @Test("a plain number from outside is found, except in the files that know its bounds")
    func numbers() throws {
        for line in ["let a = b.bounded(by: 0...9)\n", "let a = b?.clamped(to: 0...9)\n"] {
            let what = ["a plain number from outside"]
            #expect(try findings("Sources/Updater/A.swift", line) == what)
            #expect(try findings("Sources/DeviceShell/A.swift", line) == what)
            for path in Tidy.boundingFiles { #expect(try findings(path, line).isEmpty) }
            #expect(try findings("Sources/Oracle/A.swift", line).isEmpty)
        }
        let sources = try Tidy.boundingFiles.map { try House.text($0) }
        for (path, text) in zip(Tidy.boundingFiles, sources) {
            #expect(text.contains(#/\.(bounded\(by|clamped\(to):/#), "\(path) takes no number out")
        }
    }

    @Test("a plain number of a message's JSON is found")
    func messageNumbers() throws {
        let line = "let a = params?[b]?.integer ?? 0\n"
        #expect(try findings("Sources/AppHost/A.swift", line) == ["a plain number of JSON"])
        #expect(try findings("Sources/LocalServer/A.swift", line) == ["a plain number of JSON"])
        #expect(try findings("Sources/Updater/A.swift", line).isEmpty)
        #expect(try findings("Sources/DevelopmentHost/A.swift", line).isEmpty)
    }

    @Test("a sum, difference or product of plain times is found, a quotient is none")
    func times() throws {
        for line in [
            "let a = b.microseconds + c\n", "let a = (b - c).seconds * 2\n", "let a = b.seconds &- c\n",
            "let a = max(b.microseconds, 0) + 999\n", "let a = 9 + b.microseconds\n",
        ] {
            #expect(try findings("Sources/LocalServer/A.swift", line) == ["a sum of plain times"], "\(line)")
            #expect(try findings("Sources/Core/Time/A.swift", line).isEmpty)
            #expect(try findings("Sources/World/A.swift", line).isEmpty)
        }
        #expect(try findings("Sources/LocalServer/A.swift", "let a = b.microseconds / 1_000\n").isEmpty)
        #expect(try findings("Sources/LocalServer/A.swift", "let a = b - .seconds(60)\n").isEmpty)
    }

    @Test("files, functions and lines far beyond the guide are found")
    func lengths() throws {
        let long = String(repeating: "let a = 1\n", count: 501)
        #expect(try findings("Sources/Core/A.swift", long) == ["501 lines"])
        let function = "func a() {\n" + String(repeating: "    b()\n", count: 80) + "}\n"
        #expect(try findings("Sources/Core/A.swift", function) == ["a function of 82 lines"])
        let wide = "// " + String(repeating: "1", count: 110) + "\n"
        #expect(try findings("Sources/Core/A.swift", wide) == ["a comment wider than 110"])
    }
}
