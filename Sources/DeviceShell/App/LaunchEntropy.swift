/// Random bytes of the system for one launch (`Updater.Launch.entropy`).
package enum LaunchEntropy {
    /// 32 new random bytes.
    package static func bytes() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
}
