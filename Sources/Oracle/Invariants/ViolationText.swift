/// A text about a violation that knows which versions it names: `"\(version: name) is blacklisted"`.
package struct ViolationText: Hashable, Sendable, ExpressibleByStringInterpolation {
    package var text: String
    /// Names of versions in the text.
    package var versions: [String]
    /// The text with a gap, `…`, for each value: equal in all runs in which the same goes wrong.
    package var pattern: String

    package init(_ text: String, versions: [String] = []) {
        self.text = text
        self.versions = versions
        pattern = "…"
    }

    package init(stringLiteral text: String) {
        self.init(text)
        pattern = text
    }

    package init(stringInterpolation: StringInterpolation) {
        self.init(stringInterpolation.text, versions: stringInterpolation.versions)
        pattern = stringInterpolation.pattern
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var versions: [String] = []
        fileprivate var pattern = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        package mutating func appendLiteral(_ literal: String) {
            text += literal
            pattern += literal
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += value.description
            pattern += "…"
        }

        package mutating func appendInterpolation(_ other: ViolationText) {
            text += other.text
            versions += other.versions
            pattern += other.pattern
        }

        /// - Parameter version: name of a version.
        package mutating func appendInterpolation(version: String) {
            appendInterpolation(versions: [version])
        }

        /// - Parameter versions: names of versions; the text has commas between them.
        package mutating func appendInterpolation(versions: [String]) {
            text += versions.joined(separator: ", ")
            self.versions += versions
            pattern += "…"
        }
    }
}
