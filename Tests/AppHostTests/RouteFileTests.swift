import Core
import DevelopmentHost
import HTTP1
import LocalServer
import Testing

@Suite("Routes from a file, and as one line")
struct RouteFileTests {
    private static let text = """
        // who answers
        {
          format: "otalab-routes-1", remote: "https://api.example.com/v1",
          routes: [
            { path: "/api/**", methods: ["GET", "POST"], to: "remote", upgrades: true },
            { path: "/static/**", to: "folder", folder: "shared", age: "2 h" },
            { path: "/kept/**", to: "folder", folder: "kept" },
            { path: "/assets/**", to: "file" },
            { path: "/**", to: "site" },
          ],
        }
        """

    @Test("Every entry as it is written, in its order")
    func read() throws {
        let file = try RouteFile.read(Array(RouteFileTests.text.utf8))
        #expect(file.remote?.description == "https://api.example.com/v1")
        #expect(
            file.entries.map(\.pattern.text) == ["/api/**", "/static/**", "/kept/**", "/assets/**", "/**"])
        #expect(
            file.entries.map(\.target) == [
                .remote(upgrades: true), .folder("shared", age: .hours(2)), .folder("kept", age: .hours(1)),
                .file, .site,
            ])
        #expect(file.entries[0].methods == [.get, .post] && file.entries[1].methods.isEmpty)
        #expect(file.entries[1].pattern.base == "/static" && file.entries[4].pattern.base.isEmpty)
    }

    @Test(
        "Errors are reported with their position",
        arguments: [
            ("{ routes: [] }", "does not say that it is one of routes"),
            (#"{ format: "otalab-mocks-1" }"#, "does not say"), ("[]", "does not say"),
            (#"{ format: "otalab-routes-1", route: [] }"#, "has no \"route\""),
            (#"{ format: "otalab-routes-1", remote: "ftp://a" }"#, "can't be reached"),
            (#"{ format: "otalab-routes-1", routes: {} }"#, "must be a list"),
            (#"{ format: "otalab-routes-1", routes: [{ to: "site" }] }"#, "path must be"),
            (#"{ format: "otalab-routes-1", routes: [{ path: "/a" }] }"#, "who answers"),
            (#"{ format: "otalab-routes-1", routes: [{ path: "/a", to: "index" }] }"#, "who answers"),
            (
                #"{ format: "otalab-routes-1", routes: [{ path: "/a", to: "file", age: "1 h" }] }"#,
                "belongs to"
            ),
            (
                #"{ format: "otalab-routes-1", routes: [{ path: "/a", to: "file", upgrades: true }] }"#,
                "belongs to"
            ),
            (
                #"{ format: "otalab-routes-1", routes: [{ path: "/a", to: "folder", folder: "x" }] }"#,
                "ends in /**"
            ),
            (#"{ format: "otalab-routes-1", routes: [{ path: "/a/**", to: "folder" }] }"#, "needs its name"),
            (
                #"{ format: "otalab-routes-1", routes: [{ path: "/a/**", to: "folder", folder: "x", age: "1" }] }"#,
                "age must be"
            ),
            (
                #"{ format: "otalab-routes-1", routes: [{ path: "/a", methods: ["TRACE"], to: "file" }] }"#,
                "never reaches"
            ),
        ])
    func faults(text: String, message: String) {
        do throws(JSONFault) {
            _ = try RouteFile.read(Array(text.utf8))
            Issue.record("it is read")
        } catch {
            #expect(error.message.contains(message), "\(error.message)")
            #expect(error.span.end <= text.utf8.count)
        }
    }

    @Test(
        "One line: a pattern and who answers",
        arguments: [
            ("/api/**=remote", RouteFile.Target.remote(upgrades: false)),
            ("/live=remote+upgrades", .remote(upgrades: true)), ("/**=site", .site), ("/a=b=file", .file),
            ("/s/**=folder:a b/c", .folder("a b/c", age: .hours(1))),
        ])
    func line(text: String, target: RouteFile.Target) {
        #expect(RouteFile.Entry(text: text)?.target == target)
    }

    @Test(
        "What is no such line is nil",
        arguments: [
            "", "/a", "=site", "a=site", "/a=", "/a=Site", "/a=folder:x", "/a/**=folder:", "/a?=site",
        ])
    func noLine(text: String) { #expect(RouteFile.Entry(text: text) == nil) }
}
