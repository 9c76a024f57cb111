import Core
import Foundation
import ModuleTestSupport
import Testing

@testable import Updater

@Suite("Bytes from outside never break a reader")
struct MutationTests {
    private static let seeds = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fuzz/seeds")

    static func seeds(of entry: FuzzEntry) -> [[UInt8]] {
        let folder = seeds.appendingPathComponent(entry.rawValue).path
        let names = (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
            .sorted()
        return names.compactMap { FileManager.default.contents(atPath: folder + "/" + $0).map { Array($0) } }
    }

    @Test("there are seeds for every reader, and the good ones are read", arguments: FuzzEntry.allCases)
    func seeds(entry: FuzzEntry) throws {
        let seeds = MutationTests.seeds(of: entry)
        #expect(!seeds.isEmpty, "none in Tests/Fuzz/seeds/\(entry.rawValue)")
        for seed in seeds { try entry.run(seed) }
    }

    /// Some seconds of a debug build in all; `OTALAB_MUTATIONS` says another number for each reader. A whole
    /// device lives with a fifteenth of them.
    private static var mutations: Int {
        ProcessInfo.processInfo.environment["OTALAB_MUTATIONS"].flatMap { Int($0) } ?? 600
    }

    @Test("random changes of good bytes are read or refused", arguments: FuzzEntry.allCases)
    func mutations(entry: FuzzEntry) throws {
        let seeds = MutationTests.seeds(of: entry)
        var mutator = Mutator(seed: 42)
        let isDevice = entry == .store || entry == .origin || entry == .resumed
        for number in 0..<MutationTests.mutations / (isDevice ? 15 : 1) {
            guard !seeds.isEmpty else { return }
            let bytes = mutator.change(seeds[number % seeds.count])
            do throws(FuzzEntry.Broken) {
                try entry.run(bytes)
            } catch {
                Issue.record(
                    "\(error) of change \(number): \(String(decoding: bytes.prefix(2_000), as: UTF8.self))")
                return
            }
        }
    }
}

@Suite("The fuzzers' dictionary")
struct DictionaryTests {
    @Test("it lists every hostile number, except the empty one")
    func numbers() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fuzz/numbers.dict")
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(String.init)
        for number in HostileNumber.all where !number.isEmpty {
            #expect(lines.contains("\"\(number)\""), "\(number)")
        }
    }
}

/// Changes bytes as a careless fuzzer does; the same seed, the same changes.
struct Mutator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// Xorshift64 (Marsaglia 2003).
    private mutating func draw(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int((state >> 16) % UInt64(max(bound, 1)))
    }

    /// Tokens that readers of JSON and of numbers stumble over, beside ``HostileNumber``.
    private static let tokens = [
        "\"", "{", "}", "[", "]", ",", ":", "null", "true", "-1", "0", "1e999", "9223372036854775808",
        "\\u0000",
        "\\ud800", "../", "//", "%2e", "\u{FEFF}", "\"\":", "[[[[[[[[", "18446744073709551616", "-0", "1.5",
    ]

    /// Replaces the first run of digits behind an offset by a hostile number.
    private mutating func replaceNumber(in bytes: inout [UInt8], from start: Int) {
        func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
        guard let first = bytes[start...].firstIndex(where: isDigit) else { return }
        let end = bytes[first...].firstIndex { !isDigit($0) } ?? bytes.count
        bytes.replaceSubrange(first..<end, with: Array(HostileNumber.all[draw(HostileNumber.all.count)].utf8))
    }

    mutating func change(_ seed: [UInt8]) -> [UInt8] {
        var bytes = seed
        for _ in 0...draw(4) {
            let place = draw(bytes.count + 1)
            let end = min(bytes.count, place + draw(20))
            switch draw(9) {
            case 0: if place < bytes.count { bytes[place] = UInt8(draw(256)) }
            case 1: if place < bytes.count { bytes[place] ^= 1 << UInt8(draw(8)) }
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: draw(bytes.count + 1))
            case 4:
                bytes.insert(contentsOf: Array(Mutator.tokens[draw(Mutator.tokens.count)].utf8), at: place)
            case 5: bytes.removeLast(bytes.count - place)
            case 6, 7: replaceNumber(in: &bytes, from: place)
            default:
                bytes.replaceSubrange(
                    place..<end, with: Array(Mutator.tokens[draw(Mutator.tokens.count)].utf8))
            }
        }
        return bytes
    }
}
