/// Escaping for XML 1.0; characters that it forbids become U+FFFD.
enum XML {
    static func text(_ text: String) -> String { escape(text, attribute: false) }
    static func attribute(_ text: String) -> String { escape(text, attribute: true) }

    private static func escape(_ text: String, attribute: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"" where attribute: result += "&quot;"
            case "\n" where attribute: result += "&#10;"
            case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
            default:
                let isAllowed = scalar.value >= 0x20 && scalar.value != 0xfffe && scalar.value != 0xffff
                result.unicodeScalars.append(isAllowed ? scalar : "\u{fffd}")
            }
        }
        return result
    }
}
