import Core
import LocalServer
import Testing
import Updater
import World

@testable import AppHost

@Suite("Listing the app package, in bounded steps (S9)")
struct PackageFolderTests {
    private func listed(
        _ files: [String], excluding embedded: EmbeddedSource? = nil
    ) throws -> (steps: Int, site: Site) {
        var disk = SimulatedDisk()
        try disk.mountPackage(files: files.map { ("www" + $0, Array($0.utf8)) })
        var folder = PackageFolder(DiskPath(.package, "www"), excluding: embedded)
        var steps = 1
        while try !folder.step(&disk) { steps += 1 }
        return (steps, folder.site)
    }

    private func names(_ count: Int) -> [String] { (0..<count).map { "/f\(1_000 + $0).js" } }

    @Test(
        "A step lists one folder, or fifteen of its files",
        arguments: [(1, 1), (15, 1), (16, 2), (30, 2), (31, 3)])
    func steps(files: Int, steps: Int) throws {
        let (taken, site) = try listed(names(files))
        #expect(taken == 1 + steps + 1, "the folder, its files, and that nothing is left")
        #expect(site.files.map(\.route) == names(files))
    }

    @Test(
        "Every file below has its route, path, length and a tag by route and length, in the order of routes"
    )
    func files() throws {
        let routes = ["/a.js", "/a/b.js", "/a/c/d.js", "/a/c/e.js", "/b.js"]
        let (_, site) = try listed(routes.reversed())
        #expect(site.name == "www" && site.index.isEmpty)
        #expect(site.files.map(\.route) == routes)
        #expect(site.files.map(\.path) == routes.map { DiskPath(.package, "www" + $0) })
        #expect(site.files.map(\.size) == routes.map(\.utf8.count))
        #expect(Set(site.files.map(\.tag)).count == routes.count)
        #expect(site.files.allSatisfy { $0.tag.hasPrefix("www-") && $0.tag.hasSuffix("-\($0.size)") })
    }

    @Test("The embedded version's folder and manifest are left out, wherever they are (A32)")
    func embedded() throws {
        let files = ["/a.js", "/application/b.js", "/manifest.json", "/z.js"]
        for (manifest, others) in [
            ("www/manifest.json", ["/a.js", "/z.js"]),
            ("www/application/manifest.json", ["/a.js", "/manifest.json", "/z.js"]),
        ] {
            let source = EmbeddedSource(
                dialect: .own, manifest: DiskPath(.package, manifest),
                root: DiskPath(.package, "www/application"))
            #expect(try listed(files, excluding: source).site.files.map(\.route) == others)
        }
    }

    @Test("The host lists no more than one step of it at a time, and serves without it if it can't be read")
    func inTheHost() throws {
        func steps(_ fixture: HostFixture) -> Int {
            fixture.count { if case .again(.urgent) = $0 { true } else { false } }
        }
        var without = try HostFixture()
        try without.launch()
        var fixture = try HostFixture()
        fixture.wwwFiles = names(40).map { ("www" + $0, [1]) }
        try fixture.mount()
        try fixture.launch()
        #expect(steps(fixture) >= steps(without) + 4, "the folder, three parts and the end, one to a step")
        let (page, _) = fixture.show()
        #expect(fixture.ask("/f1039.js", referer: page).status == 200)

        var other = try HostFixture()
        try other.mount()
        other.wwwFiles = [("www/a.js", [1])]
        try other.launch()
        #expect(other.show().1.text == "<p>v1</p>")
        #expect(other.host.report.contains("cause=disk-failed") && other.host.report.contains("www:"))
    }
}
