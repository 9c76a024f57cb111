@testable import ScenarioLanguage

// Objects whose keys depend on each other.
extension ScenarioMaker {
    /// Methods without a body get none, and names of fields are tokens.
    mutating func request() -> Made {
        guard case .object(var members) = object(.request) else { return .raw("null") }
        members.removeAll { ["headers", "body"].contains($0.key) }
        if chance.pick(2) == 0 { members.append(("headers", .object([("X-Cart", .text("a: b, \"c\""))]))) }
        let method = members.first { $0.key == "method" }?.value.json ?? ""
        if !["", "\"GET\"", "\"HEAD\""].contains(method) { members.append(("body", .text("größer 😀"))) }
        return .object(members)
    }

    /// A page requests something, and names no host of its own.
    mutating func client() -> Made {
        guard case .object(var members) = object(.client) else { return .raw("null") }
        let asks = members.contains { $0.key == "asks" }
        if !asks { members.removeAll { ["is", "cookies", "requests"].contains($0.key) } }
        if members.contains(where: { $0.key == "host" }) { members.removeAll { $0.key == "is" } }
        return .object(members)
    }

    /// An app without an API has no start that needs one; starts that go well at first do not later.
    mutating func startup() -> Made {
        guard case .object(var members) = object(.startup) else { return .raw("null") }
        if members.contains(where: { $0.key == "needs" }) {
            members.removeAll { $0.key == "needs" }
            members.append(("needs", .text(chance.of(["network", "storage"]))))
        }
        let ends = ["hangs", "throws", "dies", "ready", "usable"]
        if !members.contains(where: { ends.contains($0.key) }) { members.removeAll { $0.key == "works" } }
        return .object(members)
    }
}
