import Core
import Foundation
import Updater

/// The public key in a file of `otalab keys new`, or of `otalab keys public`, which has no private key in it.
///
/// ```
/// otalab signing key 2026
/// ed25519 5f0a1c…
/// ```
enum PublicKeyFile {
    static let title = "otalab signing key "

    /// - Throws: a ``UsageError`` for a file that is missing or holds no key.
    static func read(_ path: String) throws(UsageError) -> PublicKey {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError(
                message: "the key '\(path)' can't be read", help: "otalab keys new ID \(path) makes one")
        }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").prefix(2)
        let words = lines.last?.split(separator: " ").map(String.init) ?? []
        guard lines.count == 2, let first = lines.first, first.hasPrefix(title), words.count == 2,
            let algorithm = SignatureAlgorithm(rawValue: words[0]), let bytes = Hex.bytes(words[1])
        else { throw none(path) }
        let key = PublicKey(id: String(first.dropFirst(title.count)), algorithm: algorithm, bytes: bytes)
        guard key.isUsable else { throw none(path) }
        return key
    }

    /// The keys in these files, in this order.
    static func read(_ paths: [String]) throws(UsageError) -> [PublicKey] {
        var keys: [PublicKey] = []
        for path in paths { keys.append(try read(path)) }
        return keys
    }

    static func text(_ key: PublicKey) -> String {
        "\(title)\(key.id)\n\(key.algorithm.rawValue) \(Hex.text(key.bytes))\n"
    }

    private static func none(_ path: String) -> UsageError {
        UsageError(
            message: "'\(path)' holds no key that 'otalab keys' made",
            help: "its lines are '\(title)ID' and 'ed25519', or 'p256', with the public key in hex")
    }
}
