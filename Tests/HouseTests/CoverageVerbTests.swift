import Foundation
import Testing

/// `--coverage` and `--require-coverage` in a temporary project.
@Suite("Coverage of a run")
struct CoverageVerbTests {
    private let project: TestProject

    init() throws {
        project = try TestProject()
        try project.write(
            "updating/small.json5",
            """
            {
              schema: 1, title: "Small",
              app: { id: "com.example.shop", embeds: "v1" },
              versions: { v1: { files: { "index.html": "1 KB" } }, v2: { from: "v1", changes: ["index.html"] } },
              steps: [
                { launch: true }, { deploy: "v2" }, { check: true }, { expect: { pending: "v2" }, within: "10s" },
              ],
            }
            """)
    }

    @Test("A run passes the gate that it has written itself, on any number of workers")
    func gate() throws {
        #expect(try project.otalab("run", "--coverage", "one.json").code == 0)
        #expect(try project.otalab("run", "--in-process", "--coverage", "two.json").code == 0)
        let file = try project.read("one.json")
        #expect(file.contains("\"cause: became-pending\"") && file.contains("\"decision: U1.complete\""))
        #expect(try project.read("two.json") == file)
        let again = try project.otalab("run", "--require-coverage", "one.json")
        #expect(again.code == 0, "\(again.errors)")
        let page = try project.read("Reports/latest/report.html")
        #expect(page.contains("Causes that no run has logged"))
        #expect(page.contains("no oracle had anything to decide: <code>"))
    }

    @Test("A cell that is not reached any more fails the run and is named")
    func missing() throws {
        try Data(
            """
            { "schema": "otalab-coverage-1", "cells": [
              { "cell": "cause: became-pending", "count": 1 }, { "cell": "end: crash / starting", "count": 2 },
              { "cell": "decision: R4", "count": 1 }
            ] }
            """.utf8
        ).write(to: project.folder.appendingPathComponent("gate.json"))
        let call = try project.otalab("run", "--require-coverage", "gate.json")
        #expect(call.code == 1)
        #expect(call.errors.contains("2 coverage cells of gate.json not reached"))
        #expect(
            call.errors.contains("end: crash / starting") && call.errors.contains("decision: R4")
                && !call.errors.contains("became-pending"))
    }

    @Test(
        "A gate that can't be read is refused before anything runs",
        arguments: [
            ("{}", "schema"), ("nothing", "line 1"),
            (
                #"{ "schema": "otalab-coverage-1", "cells": [{ "cell": "cause", "count": 1 }] }"#,
                "cells[0].cell"
            ),
        ])
    func unreadable(text: String, position: String) throws {
        try Data(text.utf8).write(to: project.folder.appendingPathComponent("gate.json"))
        let call = try project.otalab("run", "--require-coverage", "gate.json")
        #expect(call.code == 2)
        #expect(call.errors.contains("gate.json") && call.errors.contains(position), "\(call.errors)")
        #expect(!project.has("Reports"))
    }
}
