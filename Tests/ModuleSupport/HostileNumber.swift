/// The numbers that every entry for a number from outside is tested with, as text. The fuzzers' dictionary
/// (`Tests/Fuzz/numbers.dict`) lists them too.
package enum HostileNumber {
    /// In order: around 0, 2³¹, 2³², 2⁵³, 2⁶³ and 2⁶⁴, negative, of 20 digits, and texts that are no plain
    /// decimal number.
    package static let all = [
        "0", "1", "-1", "2147483647", "2147483648", "2147483649", "4294967295", "4294967296",
        "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775806",
        "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
        "-2147483649", "-9223372036854775808", "-9223372036854775809", "99999999999999999999",
        "00000000000000000001", "", "+1", "1e3", "0x10", "1.5",
    ]

    /// Those that 64 bits can hold.
    package static let integers = all.compactMap { Int64($0) }

    /// Whether the text is decimal digits alone.
    package static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// The value of decimal digits, at most 2⁶³ − 1; nil for another text.
    package static func value(_ text: String) -> Int? { isDigits(text) ? Int(text) ?? .max : nil }
}
