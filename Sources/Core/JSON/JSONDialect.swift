/// The dialect of JSON that a text is written in.
package enum JSONDialect: Hashable, Sendable {
    /// RFC 8259 to the letter: for manifests, records and results. A byte order mark at the start
    /// is skipped, as its section 8.1 allows.
    case strict
    /// JSON5 (spec.json5.org) without its surprises: for texts that people write. Comments, bare
    /// ASCII keys, single quotes, trailing commas, hexadecimal, a leading `+` and a bare leading or
    /// trailing point are read. Refused, although JSON5 has them: `NaN` and `Infinity`, a string
    /// that continues over lines, the escapes `\v` and `\0`, U+0000 by any escape, an escape in a bare
    /// key, white space beyond space, tab and line ends.
    case json5
}

/// Limits of a reader, so that a hostile text costs bounded time, stack and memory.
package struct JSONLimits: Hashable, Sendable {
    package var maxBytes: Int
    /// Deepest nesting of arrays and objects.
    package var maxDepth: Int
    /// Most values, including containers.
    package var maxNodes: Int

    package init(maxBytes: Int = 4 << 20, maxDepth: Int = 64, maxNodes: Int = 500_000) {
        self.maxBytes = maxBytes
        self.maxDepth = maxDepth
        self.maxNodes = maxNodes
    }
}
