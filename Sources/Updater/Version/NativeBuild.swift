/// A native build number such as `5.2.1`, compared component by component; missing components are zero, so
/// `5.2` equals `5.2.0`.
public struct NativeBuild: Hashable, Comparable, Sendable {
    /// The build number as the app package states it.
    public let text: String
    private let components: [Int]

    /// Nil unless the text consists of one to eight components of one to nine digits, separated by dots.
    public init?(_ text: String) {
        var components: [Int] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...9).contains(part.count), part.allSatisfy({ (48...57).contains($0) }) else {
                return nil
            }
            components.append(part.reduce(0) { $0 * 10 + Int($1 - 48) })
        }
        guard (1...8).contains(components.count) else { return nil }
        while components.count > 1, components.last == 0 { components.removeLast() }
        self.text = text
        self.components = components
    }

    public static func == (left: NativeBuild, right: NativeBuild) -> Bool {
        left.components == right.components
    }

    public static func < (left: NativeBuild, right: NativeBuild) -> Bool {
        left.components.lexicographicallyPrecedes(right.components)
    }
}

/// Half-open range of native builds; a nil bound is open.
package struct NativeRange: Hashable, Sendable {
    package var minimum: NativeBuild?
    package var below: NativeBuild?

    package init(minimum: NativeBuild? = nil, below: NativeBuild? = nil) {
        self.minimum = minimum
        self.below = below
    }

    package func contains(_ build: NativeBuild) -> Bool {
        if let minimum, build < minimum { return false }
        if let below, build >= below { return false }
        return true
    }
}
