import Core

extension PrintedValue {
    /// `"1h 30m"`: whole units from large to small.
    static func duration(_ span: TimeSpan) -> PrintedValue { .text(durationText(span)) }

    static func durationText(_ span: TimeSpan) -> String {
        var rest = span.microseconds
        var text = ""
        let units: [(name: String, microseconds: Int64)] = [
            ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000),
            ("us", 1),
        ]
        for unit in units where rest >= unit.microseconds {
            text += (text.isEmpty ? "" : " ") + "\(rest / unit.microseconds)\(unit.name)"
            rest %= unit.microseconds
        }
        return text.isEmpty ? "0s" : text
    }

    /// `"40 KB"`.
    static func size(_ bytes: some BinaryInteger) -> PrintedValue { .text(sizeText(bytes)) }

    static func sizeText(_ bytes: some BinaryInteger) -> String {
        if bytes > 0, bytes % 1_000_000 == 0 { return "\(bytes / 1_000_000) MB" }
        if bytes > 0, bytes % 1_000 == 0 { return "\(bytes / 1_000) KB" }
        return "\(bytes) B"
    }

    static func amountText(_ amount: Amount) -> String {
        switch amount {
        case .percent(let percent): "\(percent)%"
        case .bytes(let bytes): sizeText(bytes)
        }
    }

    static func after(_ text: String) -> PrintedValue { .text("after " + text) }

    /// A number, or the ends of what it may be.
    static func bounds(_ bounds: Bounds?, _ show: (Int64) -> PrintedValue) -> PrintedValue? {
        guard let bounds else { return nil }
        if let exact = bounds.exact { return show(exact) }
        var pairs = PrintedPairs()
        pairs.add("atLeast", bounds.atLeast.map(show))
        pairs.add("atMost", bounds.atMost.map(show))
        return pairs.object
    }

    static func listing(_ list: ListExpectation?) -> PrintedValue? {
        switch list {
        case nil: return nil
        case .exact(let texts, _): return .texts(texts)
        case .partial(let has, let hasNot, _):
            var pairs = PrintedPairs()
            if !has.isEmpty { pairs.add("has", .texts(has)) }
            if !hasNot.isEmpty { pairs.add("hasNot", .texts(hasNot)) }
            return pairs.object
        }
    }
}
