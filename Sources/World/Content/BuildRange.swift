/// A native build number as the world reads it: numbers with dots between them, the most significant first,
/// compared one by one; zeros at the end mean nothing. It is not the updater's `NativeBuild`, so that an
/// error in that one shows.
package struct BuildNumber: Comparable, Sendable {
    /// The number as the setup states it.
    package let text: String
    private let components: [UInt64]

    /// Nil unless the text consists of one to eight numbers of at most nine digits, separated by dots.
    package init?(_ text: String) {
        var components: [UInt64] = []
        var digits = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = UInt64(byte - UInt8(ascii: "0"))
                if digits == 0 {
                    components.append(digit)
                } else {
                    components[components.count - 1] = components[components.count - 1] * 10 + digit
                }
                digits += 1
            case UInt8(ascii: ".") where digits > 0: digits = 0
            default: return nil
            }
            if digits > 9 { return nil }
        }
        guard digits > 0, components.count <= 8 else { return nil }
        while components.last == 0 { components.removeLast() }
        self.text = text
        self.components = components
    }

    package static func == (left: BuildNumber, right: BuildNumber) -> Bool {
        left.components == right.components
    }

    package static func < (left: BuildNumber, right: BuildNumber) -> Bool {
        for index in 0..<max(left.components.count, right.components.count) {
            let own = index < left.components.count ? left.components[index] : 0
            let other = index < right.components.count ? right.components[index] : 0
            if own != other { return own < other }
        }
        return false
    }
}

/// The native builds that a version is published for: from one number up to, and without, another. A bound
/// that is nil does not limit.
package struct BuildRange: Sendable {
    package var minimum: BuildNumber?
    package var below: BuildNumber?

    package var isOpen: Bool { minimum == nil && below == nil }
}
