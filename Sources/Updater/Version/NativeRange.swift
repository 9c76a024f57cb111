/// A native build number such as `5.2.1`, compared number by number; missing numbers are zero, so
/// `5.2` equals `5.2.0`.
public struct NativeBuild: Hashable, Comparable, Sendable {
    /// As the app package states it.
    public let text: String
    private let numbers: [Int]

    /// Digits and dots, at most eight numbers of at most nine digits.
    public init?(_ text: String) {
        var numbers: [Int] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...9).contains(part.count), part.allSatisfy({ (48...57).contains($0) }) else {
                return nil
            }
            numbers.append(part.reduce(0) { $0 * 10 + Int($1 - 48) })
        }
        guard (1...8).contains(numbers.count) else { return nil }
        while numbers.count > 1, numbers.last == 0 { numbers.removeLast() }
        self.text = text
        self.numbers = numbers
    }

    public static func == (left: NativeBuild, right: NativeBuild) -> Bool { left.numbers == right.numbers }

    public static func < (left: NativeBuild, right: NativeBuild) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}

/// Half-open range of native builds; an absent end is open.
public struct NativeRange: Hashable, Sendable {
    public var minimum: NativeBuild?
    public var below: NativeBuild?

    public init(minimum: NativeBuild? = nil, below: NativeBuild? = nil) {
        self.minimum = minimum
        self.below = below
    }

    public func contains(_ build: NativeBuild) -> Bool {
        if let minimum, build < minimum { return false }
        if let below, build >= below { return false }
        return true
    }
}
