/// What native code got from a page, as a scenario file writes it (rule N5).
enum NativeAnswer {
    /// `cart 7`: the method and the result in JSON; `cart without a result`.
    static func text(_ method: String, _ result: [UInt8]?) -> String {
        guard let result else { return method + " without a result" }
        return method + " " + String(decoding: result, as: UTF8.self)
    }
}
