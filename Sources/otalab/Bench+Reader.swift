import Core
import ScenarioLanguage

// The cost of parsing: JSON5 alone, and everything up to a checked scenario.
extension Bench {
    func reader(_ seconds: Double) throws -> [Figure] {
        let text = Array(BenchScenario.busy.utf8)
        guard !ScenarioReader.read(path: "bench.json5", bytes: text).hasErrors else {
            throw BenchFailure(description: "the bench's scenario can't be read")
        }
        let tree = bytesPerSecond(seconds, text) { bytes in
            let root = try? JSONReader.read(bytes, dialect: .json5, limits: ScenarioReader.limits)
            return root?.members?.count ?? 0
        }
        let scenario = bytesPerSecond(seconds, text) { bytes in
            ScenarioReader.read(path: "bench.json5", bytes: bytes).scenarios.count
        }
        let how = "a scenario of \(text.count) bytes"
        return [
            Figure(
                name: "reader, text to tree", value: tree / 1_000_000, unit: "MB/s", floor: 20, how: how),
            Figure(
                name: "reader, text to scenario", value: scenario / 1_000_000, unit: "MB/s", floor: nil,
                how: how + ", checked against schema and semantics"),
        ]
    }

    private func bytesPerSecond(_ seconds: Double, _ text: [UInt8], _ read: ([UInt8]) -> Int) -> Double {
        var bytes = 0
        var sum = 0
        let time = measure { start in
            repeat {
                for _ in 0..<64 { sum &+= read(text) }
                bytes += 64 * text.count
            } while elapsed(start) < seconds / 2
        }
        return sum == 0 ? 0 : Double(bytes) / time
    }
}
