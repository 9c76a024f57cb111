import Core
import ScenarioLanguage

/// A world for an updater that is seen from outside: the story of an update, with one disturbance or two, and
/// an end in which a sound updater shows a new version.
///
/// Promises: the same number and updater give the same text in every process of one program; consecutive
/// numbers take the kinds of disturbances in turn, and those of a kind without repetition, so that a short
/// search has tried as many as it can; what is expected holds for any updater that installs at a launch or a
/// reload what it has downloaded.
package enum OutsideWorld {
    /// nil: no scenario came of it, which is a mistake of this module.
    package static func world(
        _ number: UInt64, for updater: OutsideUpdater, profiles: [String]
    ) -> DrawnWorld? {
        var chance = Chance(seed: number)
        let order = OutsideDisturbance.order
        let kind = order[Int(number % UInt64(order.count))]
        var chosen = [turn(number, of: kind, in: order)]
        // Two of one kind would often be about the same request.
        if chance.once(in: 2) {
            let others = OutsideDisturbance.Kind.allCases.filter { $0 != kind && $0 != .startup }
            chosen.append(chance.of(OutsideDisturbance.all(chance.of(others))))
        }
        var story = OutsideStory(chance.split(), updater, chosen)
        return DrawnWorld(
            number, story.head(number), story.steps(), WorldNames(), profiles)
    }

    /// The disturbance whose turn it is among those of its kind: every one once before any twice, in an order
    /// that is no order of the list.
    private static func turn(
        _ number: UInt64, of kind: OutsideDisturbance.Kind, in order: [OutsideDisturbance.Kind]
    ) -> OutsideDisturbance {
        let places = order.indices.filter { order[$0] == kind }
        let (round, place) = number.quotientAndRemainder(dividingBy: UInt64(order.count))
        let turn = round * UInt64(places.count) + UInt64(places.firstIndex(of: Int(place)) ?? 0)
        let all = OutsideDisturbance.all(kind)
        let count = UInt64(all.count)
        // A prime that is no divisor of a list's length.
        return all[Int(turn % count * (7_919 % count) % count)]
    }
}

/// The story of a world: an app that is updated once or twice.
struct OutsideStory: Sendable {
    private var chance: Chance
    private let updater: OutsideUpdater
    private let disturbances: [OutsideDisturbance]

    init(_ chance: Chance, _ updater: OutsideUpdater, _ disturbances: [OutsideDisturbance]) {
        self.chance = chance
        self.updater = updater
        self.disturbances = disturbances
    }

    private let last = "v5"

    // MARK: - App and versions

    mutating func head(_ number: UInt64) -> [PrintedValue.Pair] {
        let dialect = chance.of(updater.dialects)
        var app: [PrintedValue.Pair] = [.init("id", "com.example.shop"), .init("embeds", "v1")]
        if dialect != .own { app.append(.init("manifest", .text(dialect.rawValue))) }
        app.append(.init("startupTimeout", "5s"))
        return [
            .init("schema", 1), .init("title", .text("World \(number) of an updater seen from outside")),
            .init("id", .text("world-\(number)")), .init("limits", OutsideEnd.limits),
            .init("app", .object(app)),
            .init("versions", versions()),
        ]
    }

    private mutating func versions() -> PrintedValue {
        func size() -> PrintedValue { .text(chance.of(["0 B", "1 B", "9 KB", "40 KB", "120 KB", "400 KB"])) }
        var files: [PrintedValue.Pair] = [
            .init("/index.html", "2 KB"), .init("/app.js", "40 KB"), .init("/logo.png", size()),
        ]
        if chance.once(in: 3) { files.append(.init("/style.css", size())) }
        if chance.once(in: 6) { files.append(.init("/größe & maß/ä b.css", "1 KB")) }
        var all: [PrintedValue.Pair] = [.init("v1", ["files": .object(files)])]
        for name in ["v2", "v3", "v4", last] {
            let base = chance.of(["v1", "v1", name == "v2" ? "v1" : "v2"])
            var pairs: [PrintedValue.Pair] = [.init("from", .text(base))]
            var changes: [PrintedValue] = ["/app.js"]
            if chance.once(in: 2) { changes.append("/logo.png") }
            if chance.once(in: 3) { changes.append("/index.html") }
            pairs.append(.init("changes", .list(changes)))
            if chance.once(in: 3) {
                pairs.append(.init("files", .object([.init("/of-\(name).js", size())])))
            } else if chance.once(in: 6) {
                let optional: PrintedValue = ["size": "4 KB", "optional": true]
                pairs.append(.init("files", .object([.init("/perhaps-\(name).png", optional)])))
            }
            if name == target, let startup { pairs.append(.init("startup", startup)) }
            all.append(.init(name, .object(pairs)))
        }
        return .object(all)
    }

    private var startup: PrintedValue? { disturbances.lazy.compactMap(\.startup).first }

    // MARK: - Steps

    /// The version whose update is disturbed.
    private let target = "v3"

    private func steps(_ place: OutsideDisturbance.Place) -> [PrintedValue] {
        disturbances.filter { $0.place == place }.flatMap(\.steps)
    }

    private var check: [PrintedValue] { updater.checks ? [["check": true]] : [] }

    /// Until the updater has done what it was asked for. Where a transfer may not end, a real updater's own
    /// limit would be waited for.
    private var pause: PrintedValue {
        disturbances.contains(where: \.canStall) && !updater.hasOwnClock ? ["wait": "2s"] : ["settle": true]
    }

    mutating func steps() -> [WorldStep] {
        var steps: [PrintedValue] = []
        if chance.once(in: 3) { steps.append(["deploy": "v1"]) }
        steps += [["launch": true], pause]
        // A version before it, which a failing one is left for.
        if chance.once(in: 2) { steps += [["deploy": "v2"]] + check + [pause, ["relaunch": true], pause] }
        steps += self.steps(.before)
        steps.append(["deploy": .text(target)])
        steps += check + self.steps(.during) + [pause, ["relaunch": true]]
        steps += self.steps(.start) + [pause]
        for _ in 0..<chance.below(3) { steps += aftermath() }
        let end = OutsideEnd(version: last, updater)
        return [WorldStep(OutsideEnd.watch, isDrawn: false)] + steps.map { WorldStep($0) }
            + end.steps.map { WorldStep($0, isDrawn: false) }
    }

    /// What users and releases do next.
    private mutating func aftermath() -> [PrintedValue] {
        let steps: [[PrintedValue]] = [
            [["relaunch": true]], check, [["page": "reload"]], [["kill": "system"], ["launch": true]],
            [["kill": "crash"], ["wait": "1s"], ["launch": true]], [["deploy": "v4"]] + check,
            [["deploy": .text(target)]] + check + [["relaunch": true]],
            [["background": true], ["wait": "35s"], ["foreground": true]],
        ]
        return chance.of(steps) + [pause]
    }
}
