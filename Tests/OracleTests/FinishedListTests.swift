import Backend
import Core
import Testing

@testable import Oracle

@Suite("The list of finished assets, as checkers read it")
struct FinishedListTests {
    private func line(_ index: Int) -> [UInt8] {
        let digest = SHA256.hash(of: Array("\(index)".utf8))
        return Array("\(digest.hex) \(digest.hex) \(index) - 1\n".utf8)
    }

    @Test("A list that grows is read once, also where a line comes in parts")
    func growing() {
        func bytesRead(_ count: Int) -> Int {
            var content = FileContent(blockSize: 4_096)
            var reading = FinishedListReading()
            var found: [Digest256] = []
            for index in 0..<count {
                _ = content.write(line(index).prefix(100), at: content.size)
                reading.read(content, into: &found)
                #expect(found.count == 2 * index + 1)
                _ = content.write(line(index).dropFirst(100), at: content.size)
                reading.read(content, into: &found)
                #expect(found.count == 2 * index + 2)
            }
            var whole = FinishedListReading()
            var all: [Digest256] = []
            whole.read(content, into: &all)
            #expect(all == found)
            return reading.bytesRead
        }
        let few = bytesRead(40)
        let many = bytesRead(400)
        #expect(many < few * 12, "\(few) for 40 lines, \(many) for 400")
    }

    @Test("A list that was replaced is read anew")
    func replaced() {
        var reading = FinishedListReading()
        var found: [Digest256] = []
        reading.read(FileContent(line(1) + line(2), blockSize: 4_096), into: &found)
        reading.read(FileContent(line(3), blockSize: 4_096), into: &found)
        #expect(found == [SHA256.hash(of: Array("3".utf8)), SHA256.hash(of: Array("3".utf8))])
        reading.read(FileContent(line(4) + line(3), blockSize: 4_096), into: &found)
        #expect(found.count == 4 && found[0] == SHA256.hash(of: Array("4".utf8)))
    }
}
