import ScenarioLanguage

/// Makes times and sizes small and round, and counts small. What a step expects stays, because it says what
/// failed.
struct RoundQuantities: ShrinkStrategy {
    let keepsConduct: Bool

    /// Keys with a number that counts rounds, requests or starts; other numbers mean something of their own,
    /// such as a status.
    private static let counts = ["repeat", "nth", "times", "fails", "works"]

    func candidates(_ tree: PrintedValue) -> [PrintedValue] {
        let checks = tree.locatedSteps.filter(\.step.isCheck).map(\.path)
        return tree.located.flatMap { located -> [PrintedValue] in
            if located.path.count == 1 || checks.contains(where: { located.path.starts(with: $0) }) {
                return []
            }
            if keepsConduct, located.keys.contains(where: ShrinkStrategies.conduct.contains) { return [] }
            return RoundQuantities.smaller(located).map { tree.replacing(located.path, by: $0) }
        }
    }

    private static func smaller(_ located: PrintedValue.Located) -> [PrintedValue] {
        switch located.value {
        case .number(let number):
            guard counts.contains(located.key ?? ""), number > 1 else { return [] }
            return [1, 2, number / 2, number - 1].filter { $0 < number && $0 > 0 }.reduce(into: []) {
                if !$0.contains(.number($1)) { $0.append(.number($1)) }
            }
        case .text: return Quantity(located.value)?.smaller.map(\.value) ?? []
        case .null, .flag, .list, .object: return []
        }
    }
}

/// A time or a size as a scenario writes it, perhaps after a keyword: `1h 30m`, `after 40 KB`.
struct Quantity: Hashable {
    private var prefix: String
    /// Microseconds or bytes.
    private var amount: Int64
    private var isTime: Bool

    private static let times: [(name: String, size: Int64)] = [
        ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000),
        ("us", 1),
    ]
    private static let sizes: [(name: String, size: Int64)] = [
        ("MB", 1_000_000), ("KB", 1_000), ("B", 1),
    ]
    private static let prefixes = ["after ", "at ", "+", "-"]

    /// Nil for a value that is no time and no size.
    init?(_ value: PrintedValue?) {
        guard case .text(let text) = value else { return nil }
        let prefix = Quantity.prefixes.first { text.hasPrefix($0) } ?? ""
        let rest = String(text.dropFirst(prefix.count))
        if let amount = Quantity.time(rest) {
            self.init(prefix, amount, isTime: true)
        } else if let amount = Quantity.size(rest) {
            self.init(prefix, amount, isTime: false)
        } else {
            return nil
        }
    }

    private init(_ prefix: String, _ amount: Int64, isTime: Bool) {
        self.prefix = prefix
        self.amount = amount
        self.isTime = isTime
    }

    private static func time(_ text: String) -> Int64? {
        var sum: Int64 = 0
        let parts = text.split(separator: " ")
        for part in parts {
            let name = String(part.drop { $0.isNumber })
            guard let unit = times.first(where: { $0.name == name }),
                let count = Int64(part.dropLast(name.count)), count < 1_000_000_000
            else { return nil }
            let (product, isTooLarge) = count.multipliedReportingOverflow(by: unit.size)
            guard !isTooLarge, product < Int64.max / 16 else { return nil }
            sum += product
        }
        return parts.isEmpty || parts.count > times.count ? nil : sum
    }

    private static func size(_ text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let unit = sizes.first(where: { $0.name == parts[1] }),
            let count = Int64(parts[0]), count < 1_000_000_000
        else { return nil }
        return count * unit.size
    }

    /// The sum of two times; nil if one is none.
    func plus(_ other: Quantity?) -> Quantity? {
        guard let other, isTime, other.isTime, prefix.isEmpty, other.prefix.isEmpty else { return nil }
        return Quantity("", amount + other.amount, isTime: true)
    }

    /// A time several times as long; nil for a size, or if it is too long.
    func times(_ count: Int64) -> Quantity? {
        let (product, isTooLarge) = amount.multipliedReportingOverflow(by: count)
        guard isTime, prefix.isEmpty, !isTooLarge, product < Int64.max / 16 else { return nil }
        return Quantity("", product, isTime: true)
    }

    /// Smaller and rounder ones, the smallest first.
    var smaller: [Quantity] {
        let round: [Int64] =
            isTime
            ? [
                1_000_000, 10_000_000, 60_000_000, 600_000_000, 3_600_000_000, 86_400_000_000,
                604_800_000_000,
            ] : [1_000]
        let units = isTime ? Quantity.times : Quantity.sizes
        // 1d 3h becomes 1d; 47 KB becomes 40 KB.
        let unit = units.first { amount >= $0.size }?.size ?? 1
        var leading = amount / unit * unit
        if leading == amount, amount / unit > 10 { leading = amount / (unit * 10) * unit * 10 }
        let below = round.filter { $0 < amount }
        var all = Array(below.prefix(1)) + below.dropFirst().suffix(2)
        if leading < amount, leading > 0, !all.contains(leading) { all.append(leading) }
        return all.sorted().map { Quantity(prefix, $0, isTime: isTime) }
    }

    /// The value as the printer writes it.
    var value: PrintedValue {
        var rest = amount
        var text = ""
        if isTime {
            for unit in Quantity.times where rest >= unit.size {
                text += (text.isEmpty ? "" : " ") + "\(rest / unit.size)\(unit.name)"
                rest %= unit.size
            }
            return .text(prefix + (text.isEmpty ? "0s" : text))
        }
        let unit = Quantity.sizes.first { rest > 0 && rest % $0.size == 0 } ?? ("B", 1)
        return .text("\(prefix)\(rest / unit.size) \(unit.name)")
    }
}
