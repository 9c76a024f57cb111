extension String {
    /// The text before and after the first occurrence of a separator; nil if it does not occur.
    package func components(around separator: String) -> (String, String)? {
        let bytes = Array(utf8)
        let wanted = Array(separator.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count)
        where bytes[start..<start + wanted.count].elementsEqual(wanted) {
            return (
                String(decoding: bytes[..<start], as: UTF8.self),
                String(decoding: bytes[(start + wanted.count)...], as: UTF8.self)
            )
        }
        return nil
    }
}
