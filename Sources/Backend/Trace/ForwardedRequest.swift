/// A request as the remote root received it (rule S7).
package struct ForwardedRequest: Hashable, Sendable {
    package var method: String
    /// Path and query.
    package var target: String
    package var fields: [Field]
    package var body: [UInt8]

    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(method: String, target: String, fields: [Field], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }
}
