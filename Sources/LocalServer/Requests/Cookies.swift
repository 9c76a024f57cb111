import Core
import HTTP1

/// Cookies of requests and responses (RFC 6265 §4).
enum Cookies {
    /// All values of a name, in order.
    static func values(_ name: String, _ fields: HeaderFields) -> [String] {
        var values: [String] = []
        for field in fields.all("Cookie") {
            TextBytes.eachValue(of: name, in: field, separator: UInt8(ascii: ";")) { value in
                values.append(value)
                return true
            }
        }
        return values
    }

    /// A `Set-Cookie` for this server's own pages only, which their scripts can't read (`HttpOnly`,
    /// `SameSite`).
    static func line(_ name: String, _ value: String) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict"
    }
}
