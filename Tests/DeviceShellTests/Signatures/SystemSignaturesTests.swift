import Core
import Foundation
import Testing
import Updater

@testable import DeviceShell

/// What a system without libcrypto has: nothing to test.
private let system = SystemSignatures()

@Suite("Signatures by the system's libcrypto (U16)", .enabled(if: system != nil))
struct SystemSignaturesTests {
    private func isValid(
        _ signature: [UInt8], of message: [UInt8], by key: [UInt8], _ algorithm: SignatureAlgorithm = .ed25519
    ) -> Bool {
        system?.isValid(signature, of: message, by: PublicKey(id: "k", algorithm: algorithm, bytes: key))
            ?? false
    }

    /// RFC 8032, section 7.1, tests 1 to 3: public key, message, signature.
    private static let vectors = [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                + "d25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                + "387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
                + "4a7c15e9716ed28dc027beceea1ec40a"
        ),
    ]

    @Test("The vectors of RFC 8032 are valid, and with any bit changed they are not")
    func vectors() throws {
        for (key, message, signature) in SystemSignaturesTests.vectors {
            let key = try #require(Hex.bytes(key))
            let message = try #require(Hex.bytes(message))
            let signature = try #require(Hex.bytes(signature))
            #expect(isValid(signature, of: message, by: key))
            for index in signature.indices {
                var other = signature
                other[index] ^= 1
                #expect(!isValid(other, of: message, by: key), "byte \(index)")
            }
            #expect(!isValid(signature, of: message + [0], by: key))
            #expect(!isValid(signature, of: message, by: [UInt8](repeating: 1, count: 32)))
        }
    }

    /// RFC 8032, section 7.1, the seeds of tests 1 to 3.
    private static let seeds = [
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
    ]

    @Test(
        "A signer makes the keys and signatures of RFC 8032's vectors, and none of a seed of another length")
    func signs() throws {
        let signer = try #require(SystemSigner())
        for (seed, vector) in zip(SystemSignaturesTests.seeds, SystemSignaturesTests.vectors) {
            let seed = try #require(Hex.bytes(seed))
            let message = try #require(Hex.bytes(vector.1))
            #expect(signer.publicKey(of: seed, .ed25519).map { Hex.text($0) } == vector.0)
            #expect(signer.signature(of: message, by: seed, .ed25519).map { Hex.text($0) } == vector.2)
        }
        for algorithm in SignatureAlgorithm.allCases {
            for count in [0, 31, 33] {
                let key = [UInt8](repeating: 1, count: count)
                #expect(signer.publicKey(of: key, algorithm) == nil)
                #expect(signer.signature(of: [1], by: key, algorithm) == nil)
            }
        }
    }

    @Test("A signer of P-256 has the public key of RFC 6979's example, and its signatures are valid by it")
    func signsP256() throws {
        let signer = try #require(SystemSigner())
        let number = try #require(
            Hex.bytes("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"))
        let point =
            "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
            + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
        let key = try #require(signer.publicKey(of: number, .p256))
        #expect(Hex.text(key) == point)
        for message in [[], Array("sample".utf8), [UInt8](repeating: 7, count: 100_000)] {
            let signature = try #require(signer.signature(of: message, by: number, .p256))
            #expect(isValid(signature, of: message, by: key, .p256))
            #expect(!isValid(signature, of: message + [0], by: key, .p256))
        }
        // No number below the order of the curve (SEC 2, section 2.4.2).
        for none in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xff, count: 32)] {
            #expect(signer.signature(of: [1], by: none, .p256) == nil)
        }
    }

    @Test("Keys and signatures of another length are not valid")
    func lengths() throws {
        let key = try #require(Hex.bytes(SystemSignaturesTests.vectors[0].0))
        let signature = try #require(Hex.bytes(SystemSignaturesTests.vectors[0].2))
        for count in [0, 1, 63] { #expect(!isValid(Array(signature.prefix(count)), of: [], by: key)) }
        #expect(!isValid(signature + [0], of: [], by: key))
        for count in [0, 1, 31] { #expect(!isValid(signature, of: [], by: Array(key.prefix(count)))) }
        #expect(!isValid(signature, of: [], by: key + [0]))
        for key in [[], [4], [UInt8](repeating: 4, count: 65), [UInt8](repeating: 4, count: 66)] {
            #expect(!isValid(signature, of: [], by: key, .p256))
        }
    }

    /// Path of the `openssl` program; nil: it is not here.
    private static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private func run(_ arguments: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(SystemSignaturesTests.openssl))
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(arguments)")
    }

    @Test("What the openssl program has signed is valid by its key alone", .enabled(if: openssl != nil))
    func program() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "otalab-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func bytes(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: folder.appending(path: name)))
        }
        let message = Array("{\"format\": \"otalab-manifest-1\"}\n".utf8)
        try Data(message).write(to: folder.appending(path: "m"))
        for (algorithm, generate, sign, length) in [
            (
                SignatureAlgorithm.p256,
                ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
                ["dgst", "-sha256", "-sign", "k.pem", "-out", "s", "m"], 65
            ),
            (
                .ed25519, ["genpkey", "-algorithm", "ED25519"],
                ["pkeyutl", "-sign", "-inkey", "k.pem", "-rawin", "-in", "m", "-out", "s"], 32
            ),
        ] {
            try run(generate + ["-out", "k.pem"], in: folder)
            try run(["pkey", "-in", "k.pem", "-pubout", "-outform", "DER", "-out", "p.der"], in: folder)
            try run(sign, in: folder)
            let key = Array(try bytes("p.der").suffix(length))
            let signature = try bytes("s")
            #expect(PublicKey(id: "k", algorithm: algorithm, bytes: key).isUsable)
            #expect(isValid(signature, of: message, by: key, algorithm))
            #expect(!isValid(signature, of: Array(message.dropLast()), by: key, algorithm))
            var other = key
            other[length - 1] ^= 1
            #expect(!isValid(signature, of: message, by: other, algorithm))
        }
    }
}
