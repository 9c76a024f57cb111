/// An expected and an actual value that differ.
package struct Difference: Hashable, Sendable {
    /// When the expected value is required.
    package enum Scope: Hashable, Sendable {
        case once
        /// From an `always` step to the end.
        case always
        /// Forbidden from a `never` step to the end.
        case never

        /// The word before the expected value.
        fileprivate var word: String? {
            switch self {
            case .once: nil
            case .always: "always"
            case .never: "never"
            }
        }
    }

    /// Name of what is compared (`pending`, `requests for files`); nil if both texts contain it.
    package var part: String?
    package var scope: Scope
    package var expected: String
    package var actual: String

    package init(
        part: String? = nil, _ scope: Scope = .once, expected: String, actual: String
    ) {
        self.part = part
        self.scope = scope
        self.expected = expected
        self.actual = actual
    }

    init(_ mismatch: Mismatch, _ scope: Scope = .once) {
        self.init(
            part: mismatch.part.name, scope, expected: mismatch.expected, actual: mismatch.actual)
    }

    /// Expected value with its scope: `always v2`.
    package var requirement: String { text(scope.word, expected) }
}

private func text(_ words: String?...) -> String { words.compactMap(\.self).joined(separator: " ") }

/// The differences and findings of a failure as lists of texts, the form that `results.json` has.
package struct FailureLists: Hashable, Sendable {
    /// Expected values, each after the name of its part: `always running v2`.
    package var expected: [String]
    /// Actual values in the order of ``expected``, then the findings.
    package var actual: [String]
    /// Name of the part of each expected value; empty if the texts contain it.
    package var parts: [String]

    package init(expected: [String] = [], actual: [String] = [], parts: [String] = []) {
        self.expected = expected
        self.actual = actual
        self.parts = parts
    }

    package init(_ failure: Failure) {
        expected = failure.differences.map { text($0.scope.word, $0.part, $0.expected) }
        actual = failure.differences.map { text($0.part, $0.actual) } + failure.findings
        parts = failure.differences.compactMap(\.part)
    }

    /// The differences of a failure of this kind.
    package func differences(of kind: Failure.Kind) -> [Difference] {
        expected.indices.map { index in
            let part = parts.indices.contains(index) ? parts[index] : nil
            let actual = actual.indices.contains(index) ? actual[index] : ""
            return FailureLists.difference(part, expected[index], actual, kind)
        }
    }

    /// Actual values without an expected one.
    package var findings: [String] { Array(actual.dropFirst(expected.count)) }

    private static func difference(
        _ part: String?, _ expected: String, _ actual: String, _ kind: Failure.Kind
    ) -> Difference {
        func rest(_ text: String, after prefix: String) -> String? {
            text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
        }
        guard let part else {
            // Only a failed `never` has an expectation without parts.
            if kind == .expectation, let value = rest(expected, after: "never ") {
                return Difference(.never, expected: value, actual: actual)
            }
            return Difference(expected: expected, actual: actual)
        }
        let actual = rest(actual, after: "\(part) ") ?? actual
        if let value = rest(expected, after: "always \(part) ") {
            return Difference(part: part, .always, expected: value, actual: actual)
        }
        return Difference(part: part, expected: rest(expected, after: "\(part) ") ?? expected, actual: actual)
    }
}

extension Failure {
    /// ``differences`` and ``findings`` as lists of texts.
    package var lists: FailureLists { FailureLists(self) }
}
