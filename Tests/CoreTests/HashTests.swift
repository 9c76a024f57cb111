import Testing

@testable import Core

@Suite("Hashes agree with their published vectors")
struct HashTests {
    static let alphabet896 =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
        + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
    static let alphabet448 = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

    @Test(
        "SHA-256 gives the digests of NIST's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (alphabet448, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
            (alphabet896, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
        ])
    func sha256Vectors(text: String, digest: String) {
        #expect(SHA256.hash(of: Array(text.utf8)).hex == digest)
    }

    @Test(
        "SHA-1 gives the digests of NIST's examples",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (alphabet448, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
            (alphabet896, "a49b2446a02c645bf419f995b67091253a04a259"),
        ])
    func sha1Vectors(text: String, digest: String) {
        #expect(SHA1.hash(of: Array(text.utf8)).hex == digest)
    }

    @Test("A million times the letter a, added in uneven pieces")
    func million() {
        var long = SHA256()
        var short = SHA1()
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 9_973)
        var left = 1_000_000
        while left > 0 {
            let taken = min(left, piece.count)
            long.update(piece[..<taken])
            short.update(piece[..<taken])
            left -= taken
        }
        #expect(long.count == 1_000_000)
        #expect(long.finish().hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        #expect(short.finish().hex == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
    }

    @Test(
        "Lengths at which the padding just fits into the last block, or just does not",
        arguments: [
            (
                55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
                "c1c8bbdc22796e28c0e15163d20899b65621d65a"
            ),
            (
                56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
                "c2db330f6083854c99d4b5bfb6e8f29f201be699"
            ),
            (
                63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34",
                "03f09f5b158a7a8cdad920bddc29b81c18a551f5"
            ),
            (
                64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
                "0098ba824b5c16427bd7a1122a5a442a25ec644d"
            ),
            (
                119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb",
                "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"
            ),
            (
                120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c",
                "f34c1488385346a55709ba056ddd08280dd4c6d6"
            ),
        ] as [(Int, String, String)])
    func padding(length: Int, long: String, short: String) {
        let message = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        #expect(SHA256.hash(of: message).hex == long)
        #expect(SHA1.hash(of: message).hex == short)
    }

    @Test("A digest's digits: every byte value at every offset is a digit of either case, or refused")
    func digits() throws {
        let text = "0123456789abcdef0123456789abcdeffedcba98765432100f1e2d3c4b5a6978"
        let digest = try #require(Digest256(hex: text))
        #expect(digest.hex == text)
        #expect(Digest256(hex: text.uppercased()) == digest)
        #expect(Digest256(bytes: digest.bytes) == digest)
        #expect(digest.path(beginning: "a/") == "a/01/" + text)
        #expect(digest.folder(beginning: "a/") == "a/01")
        #expect(digest.text(beginning: "a/", ending: ".b") == "a/" + text + ".b")
        for offset in [0, 7, 8, 31, 32, 63] {
            for byte in UInt8.min...UInt8.max {
                var changed = Array(text.utf8)
                changed[offset] = byte
                // A byte that is no ASCII would make the text longer.
                guard byte < 0x80 else { continue }
                let scalar = Unicode.Scalar(byte)
                let read = Digest256(hex: String(decoding: changed, as: UTF8.self))
                #expect((read != nil) == scalar.properties.isASCIIHexDigit, "\(byte) at \(offset)")
                #expect(read.map { $0.hex == String(decoding: changed, as: UTF8.self).lowercased() } ?? true)
            }
        }
        #expect(Digest256(hex: String(repeating: "é", count: 32)) == nil)
    }

    @Test("Pieces of every size give the digest of the whole, around each block's edge")
    func pieces() {
        let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for length in [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 300] {
            let whole = Array(message[..<length])
            for size in [1, 3, 63, 64, 65] {
                var long = SHA256()
                var short = SHA1()
                for start in stride(from: 0, to: length, by: size) {
                    long.update(whole[start..<min(start + size, length)])
                    short.update(whole[start..<min(start + size, length)])
                }
                #expect(long.finish() == SHA256.hash(of: whole))
                #expect(short.finish() == SHA1.hash(of: whole))
            }
        }
    }

    @Test("An unfinished hash is a value: copies are independent, and reading the digest changes nothing")
    func copies() {
        var first = SHA256()
        first.update(Array("ab".utf8))
        var second = first
        _ = first.finish()
        first.update(Array("c".utf8))
        second.update(Array("d".utf8))
        #expect(first.finish() == SHA256.hash(of: Array("abc".utf8)))
        #expect(second.finish() == SHA256.hash(of: Array("abd".utf8)))
    }

    @Test("SipHash-2-4 gives the vectors of its paper, by bytes and by words")
    func sipHash() throws {
        let vectors: [(Int, UInt64)] = [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (2, 0x0d6c_8009_d9a9_4f5a),
            (3, 0x8567_6696_d7fb_7e2d), (7, 0xab02_00f5_8b01_d137), (8, 0x93f5_f579_9a93_2462),
            (15, 0xa129_ca61_49be_45e5),
        ]
        let key = try #require(KeyedHash.Key(bytes: [UInt8](0..<16)))
        for (length, hash) in vectors {
            #expect(KeyedHash.hash(of: [UInt8](0..<UInt8(length)), key: key) == hash)
        }
        var byWord = KeyedHash(key: key)
        byWord.update(0x0706_0504_0302_0100 as UInt64)
        #expect(byWord.finish() == 0x93f5_f579_9a93_2462)
        var inTheMiddle = KeyedHash(key: key)
        inTheMiddle.update([0, 1, 2])
        inTheMiddle.update(0x0a09_0807_0605_0403 as UInt64)
        inTheMiddle.update([11, 12, 13, 14])
        #expect(inTheMiddle.finish() == 0xa129_ca61_49be_45e5)
    }

    @Test("Two texts in a row never hash as two other texts that spell the same letters")
    func textsAreSeparated() {
        var first = KeyedHash(key: KeyedHash.Key(low: 1, high: 2))
        var second = first
        first.update("ab")
        first.update("c")
        second.update("a")
        second.update("bc")
        #expect(first.finish() != second.finish())
    }

    @Test("FNV-1a gives its published vectors and the default port of rule S4's example")
    func fnv() {
        #expect(FNV1a32.hash(of: "") == 0x811c_9dc5)
        #expect(FNV1a32.hash(of: "a") == 0xe40c_292c)
        #expect(FNV1a32.hash(of: "foobar") == 0xbf9c_f968)
        #expect(12_000 + FNV1a32.hash(of: "com.example.shop") % 1_000 == 12_308)
    }

    @Test("Digests are read strictly: exact length, digits only")
    func digestText() {
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(Digest256(hex: text)?.hex == text)
        #expect(Digest256(hex: text.uppercased())?.hex == text)
        #expect(Digest256(hex: text.dropLast()) == nil)
        #expect(Digest256(hex: text + "0") == nil)
        #expect(Digest256(hex: text.dropLast() + "g") == nil)
        #expect(Digest256(hex: text.dropLast() + "é") == nil)
        #expect(Digest256(hex: "+" + text.dropFirst()) == nil)
        #expect(Digest160(hex: "a9993e364706816aba3e25717850c26c9cd0d89d")?.bytes.count == 20)
        #expect(Digest160(hex: text) == nil)
        #expect(Digest256(hex: text).map { Digest256(bytes: $0.bytes) == $0 } == true)
    }

    @Test("A short digest's digits and bytes: every value at every offset, and its order")
    func shortDigest() throws {
        let text = "0123456789abcdeffedcba98765432100f1e2d3c"
        let digest = try #require(Digest160(hex: text))
        #expect(digest.hex == text && Digest160(hex: text.uppercased()) == digest)
        #expect(Digest160(bytes: digest.bytes) == digest)
        for count in [0, 19, 21, 32] { #expect(Digest160(bytes: [UInt8](repeating: 1, count: count)) == nil) }
        for count in [0, 31, 33, 20] { #expect(Digest256(bytes: [UInt8](repeating: 1, count: count)) == nil) }
        for hex in [String(text.dropLast()), text + "0", text.dropLast() + "g", text.dropLast(2) + "é"] {
            #expect(Digest160(hex: hex) == nil, "\(hex)")
        }
        for offset in 0..<20 {
            var bytes = digest.bytes
            bytes[offset] &+= 1
            let other = try #require(Digest160(bytes: bytes))
            #expect(other != digest && other.bytes == bytes)
            #expect((other < digest) == bytes.lexicographicallyPrecedes(digest.bytes))
            #expect((digest < other) == digest.bytes.lexicographicallyPrecedes(bytes))
        }
    }

    @Test("Hexadecimal text of bytes and words, written in lower case and read in either")
    func hex() {
        let all = [UInt8](0...255)
        #expect(Hex.bytes(Hex.text(all)) == all && Hex.bytes(Hex.text(all).uppercased()) == all)
        #expect(Hex.text([0x0f, 0xa0, 0x99]) == "0fa099")
        #expect(Hex.text(0x0123_4567_89ab_cdef as UInt64) == "0123456789abcdef")
        for text in ["0", "abc", "0g", "g0", " 0", "+1", "é"] { #expect(Hex.bytes(text) == nil, "\(text)") }
        #expect(Hex.bytes("") == [])
        for byte in all {
            let scalar = Unicode.Scalar(byte)
            let value = scalar.properties.isASCIIHexDigit ? Character(scalar).hexDigitValue : nil
            #expect(Hex.value(ofDigit: byte).map { Int($0) } == value, "\(byte)")
        }
    }

    @Test("A key of a hash has sixteen bytes")
    func keys() {
        for count in [0, 15, 17, 32] {
            #expect(KeyedHash.Key(bytes: [UInt8](repeating: 1, count: count)) == nil)
        }
        #expect(
            KeyedHash.Key(bytes: [UInt8](1...16))
                == KeyedHash.Key(low: 0x0807_0605_0403_0201, high: 0x100f_0e0d_0c0b_0a09))
    }

    @Test("A page load's token is sixteen lower-case digits")
    func tokens() {
        for (value, text) in [
            (0, "0000000000000000"), (0xab, "00000000000000ab"), (.max, "ffffffffffffffff"),
            (0x0123_4567_89ab_cdef, "0123456789abcdef"),
        ] as [(UInt64, String)] {
            #expect(PageLoadToken(value).text == text && PageLoadToken(text: text)?.value == value)
        }
        for text in [
            "", "000000000000001", "00000000000000001", "000000000000000A", "000000000000000g",
            "000000000000000/", "000000000000000:", "000000000000000`", "+000000000000001", "00000000000000é",
        ] { #expect(PageLoadToken(text: text) == nil, "\(text)") }
        #expect(PageLoadToken(1) < PageLoadToken(2) && !(PageLoadToken(1) < PageLoadToken(1)))
    }
}
