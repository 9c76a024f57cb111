import Foundation
import Testing

@Suite("The modules that an app links contain nothing for the laboratory or for a developer's browser")
struct ShippedModulesTests {
    /// What the products for apps link, and nothing else.
    private static let shipped = [
        "AppHost", "Core", "DeviceShell", "HTTP1", "LocalServer", "OTAHost", "Updater",
    ]
    private static let shippedForHTTPS =
        ["AppHost", "Core", "DeviceShell", "DeviceShellHTTPS", "HTTP1", "LocalServer", "Updater"]

    private static let shippedForWebKit =
        ["AppHost", "Core", "DeviceShell", "HTTP1", "LocalServer", "OTAHost", "OTAHostWebKit", "Updater"]

    /// Words that no declaration of a shipped module has in its name.
    private static let banned = [
        "mock", "stepped", "browser", "simulat", "injectfault", "fortest", "terminal",
    ]

    /// `Core` of `.library(name: "OTAHost", targets: ["Core", …])`, and all that they depend on.
    private func linked(_ product: String, _ manifest: String) throws -> [String] {
        let pattern = try Regex(#"\.library\(\s*name: "\#(product)",\s*targets: \[([^\]]*)\]"#)
        let match = try #require(manifest.firstMatch(of: pattern)?.output[1].substring)
        let tidy = Tidy(manifest: manifest)
        var open = match.matches(of: #/"(\w+)"/#).map { String($0.1) }
        var found: [String] = []
        while let name = open.popLast() {
            guard !found.contains(name) else { continue }
            found.append(name)
            open += tidy.allowed[name] ?? []
        }
        // Declarations of the system's calls, without code, and one function in C.
        return found.filter { !["LinuxSystem", "CurlCalls", "SHA256Instructions"].contains($0) }.sorted()
    }

    @Test("OTAHost and OTAHostHTTPS link seven modules each, OTAHostWebKit eight, by whatever way")
    func products() throws {
        let manifest = try House.text("Package.swift")
        #expect(try linked("OTAHost", manifest) == ShippedModulesTests.shipped)
        #expect(try linked("OTAHostHTTPS", manifest) == ShippedModulesTests.shippedForHTTPS)
        #expect(try linked("OTAHostWebKit", manifest) == ShippedModulesTests.shippedForWebKit)
        let broken = manifest.replacing(
            #"module("HTTP1", ["Core"])"#, with: #"module("HTTP1", ["Core", "World"])"#)
        #expect(try linked("OTAHost", broken).contains("World"), "the check sees a way over another module")
    }

    private func declared(in text: String) -> [String] {
        Code.lines(of: text).compactMap { line in
            line.firstMatch(of: #/\b(?:case|func|struct|enum|class|protocol|var|let|typealias) +(\w+)/#)
                .map { String($0.1) }
        }
    }

    private func findings(_ text: String) -> [String] {
        declared(in: text).filter { name in
            ShippedModulesTests.banned.contains { name.lowercased().contains($0) }
        }
    }

    @Test("no declaration of theirs is a mock, a browser's, a stepping hook or a terminal's")
    func names() throws {
        for module in Set(Self.shipped + Self.shippedForHTTPS + Self.shippedForWebKit) {
            let files = House.files(under: "Sources/" + module, ending: ".swift")
            #expect(!files.isEmpty, "\(module)")
            for file in files {
                let found = findings(try House.text(file))
                #expect(found.isEmpty, "\(file): \(found)")
            }
        }
    }

    @Test("each kind of declaration is found")
    func finds() {
        #expect(findings("    case browser\n") == ["browser"])
        #expect(findings("package final class SteppedApp {\n") == ["SteppedApp"])
        #expect(findings("    mutating func setMock(_ name: String) {}\n") == ["setMock"])
        #expect(
            findings("public enum TerminalText {\n// case mock\nlet a = \"let mock\"\n") == ["TerminalText"]
        )
        #expect(findings("let browserIsQuiet = 1\n") == ["browserIsQuiet"])
        #expect(findings("let determined = 1\n").isEmpty)
    }
}
