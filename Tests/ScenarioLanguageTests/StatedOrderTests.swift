import Core
import Testing

@testable import ScenarioLanguage

@Suite("What a manifest of each dialect can state about its order")
struct StatedOrderTests {
    private func messages(_ manifest: String, _ deploy: String) -> [String] {
        let text = """
            { schema: 1, title: "Orders", app: { manifest: "\(manifest)", embeds: "v1" },
              versions: { v1: { files: { "index.html": "1 KB" } }, v2: { from: "v1" } },
              steps: [ { launch: true }, \(deploy), { expect: { running: "v1" } } ] }
            """
        return ScenarioReader.read(path: "orders.json5", bytes: Array(text.utf8)).diagnostics.map(\.message)
    }

    @Test(
        "Only the own dialect has the order to leave all downloaded versions",
        arguments: [#"{ deploy: "embedded" }"#, #"{ deploy: "v2", order: "embedded" }"#])
    func embedded(_ deploy: String) {
        #expect(messages("own", deploy) == [])
        let refusal = "a manifest of this dialect names a version, and no order"
        for manifest in ["meteor", "frontend", "frontend with hashes"] {
            #expect(messages(manifest, deploy) == [refusal])
        }
    }

    @Test("Other orders are left out of a manifest that can't state them", arguments: ["roll back", "force"])
    func others(_ order: String) {
        for manifest in ["own", "meteor", "frontend"] {
            #expect(messages(manifest, #"{ deploy: "v2", order: "\#(order)" }"#) == [])
        }
    }
}
