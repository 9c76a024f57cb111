import Testing

@testable import DeviceShell

@Suite("The address of a request to an origin")
struct OriginAddressTests {
    @Test(
        "An absolute URL of http or https has a host, a port, the value of `Host` and a target",
        arguments: [
            ("http://a.example", "a.example 80 a.example /"),
            ("https://a.example", "https a.example 443 a.example /"),
            ("http://a.example:80/x", "a.example 80 a.example /x"),
            ("https://a.example:443/x", "https a.example 443 a.example /x"),
            ("http://a.example:443/x", "a.example 443 a.example:443 /x"),
            ("https://a.example:80/x", "https a.example 80 a.example:80 /x"),
            ("http://a.example:/x", "a.example 80 a.example /x"),
            ("HTTP://A.Example:8080/X?y=z#part", "a.example 8080 a.example:8080 /X?y=z"),
            ("http://a.example?y", "a.example 80 a.example /?y"),
            ("http://a.example#part", "a.example 80 a.example /"),
            ("http://[::1]/", "::1 80 [::1] /"), ("http://[::1]:81/", "::1 81 [::1]:81 /"),
            ("http://127.0.0.1:1/", "127.0.0.1 1 127.0.0.1:1 /"),
            ("http://a.example:65535/", "a.example 65535 a.example:65535 /"),
        ])
    func addresses(url: String, expected: String) throws {
        let address = try #require(OriginAddress(url))
        let query = address.target.query.map { "?" + $0 } ?? ""
        #expect(
            (address.isSecure ? "https " : "")
                + "\(address.host) \(address.port) \(address.authority) \(address.target.path)\(query)"
                == expected)
    }

    @Test(
        "Anything else is none",
        arguments: [
            "", "a.example", "/x", "//a.example/x", "ftp://a.example/", "http:a.example", "http://",
            "http:///x", "http://user@a.example/", "http://a.example:0/", "http://a.example:65536/",
            "http://a.example:x/", "http://:80/", "http://a.example/\u{1}", "http://a.example/x y",
            "http://a.example/ä", "http://a.example/%zz", "http://[::1/",
        ])
    func noAddress(url: String) { #expect(OriginAddress(url) == nil) }
}
