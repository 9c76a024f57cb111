import Core

/// The regular expressions of texts of the language, for JSON Schema: ECMA-262 without flags, no anchors.
///
/// Guarantees: the expression matches every text that the reader accepts. It may match more, because a
/// pattern can't express limits such as ten years, or that a version is declared.
enum SchemaText {
    /// `"$key"`: a value of the cases.
    static let fromCases = #"\$[A-Za-z0-9_]+"#

    private static let duration = repeated(#"[0-9]+ *(us|ms|s|min|m|h|days|day|d)"#)
    private static let size = #"[0-9]+ *(bytes|byte|B|KB|MB|GB|KiB|MiB|GiB) *"#
    private static let percent = #"0*(100|[0-9]{1,2}) *% *"#
    private static let route =
        #"(?!(.*/)?\.\.?(/|$))[^\u0000-\u0020\u007f\\?#]([^\u0000-\u001f\u007f\\?#]*[^\u0000-\u0020\u007f\\?#])?"#
    private static let target = route + #"(\?[!"$-~]*)?(#[!"$-~]*)?"#
    private static let reference = "[^:]+:" + route

    private static func repeated(_ part: String) -> String { part + "( *" + part + ")* *" }

    /// The pattern of a type; nil when it is not text or any text.
    static func pattern(of type: FieldType) -> String? {
        switch type {
        case .duration: duration
        case .signedDuration: "[+-] *" + duration
        case .size: size
        case .percent: percent
        case .amount: "(" + percent + "|" + size + ")"
        case .bitRate: "[0-9]+ *(kbit|Mbit|Gbit) */s *"
        case .byteRate: "[0-9]+ *(KB|MB|GB) */s *"
        case .route, .name(.file): route
        case .target: target
        case .prefixed(let keyword, let type): keyword + " +" + (pattern(of: type) ?? ".+")
        case .userAction:
            "(" + joined(TextScanner.userActions.map(\.keyword) + [typing], by: "|") + ")"
        case .fileReference: reference
        case .damageTarget:
            "(record|records|starts|list of the download|table of .+|stray in (contents|tables|download)|(part of )?"
                + reference + ")"
        case .crashOutcome: "(kill|torn [0-9]+|[0-9a-f]+)"
        case .text, .name, .keyword, .flag, .yes, .null, .whole, .list, .listing, .bounds, .object, .map,
            .either, .anything:
            nil
        }
    }

    private static let typing = "types +from +" + duration + " *to +" + duration

    static func joined(_ parts: [String], by separator: String) -> String {
        var text = ""
        for (index, part) in parts.enumerated() { text += (index == 0 ? "" : separator) + part }
        return text
    }
}
