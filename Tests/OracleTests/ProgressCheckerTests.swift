import AppHost
import Backend
import Core
import Testing
import Updater

@testable import Oracle

@Suite("The checker of progress, seen to fire")
struct ProgressCheckerTests {
    /// Of two files and 100 bytes.
    static func progress(_ files: Int, _ bytes: Int, of all: Int? = 100) -> DownloadProgress {
        DownloadProgress(version: Stage.v2, filesDone: files, files: 2, bytesDone: bytes, bytes: all)
    }

    private func message(_ bytes: Int, _ event: Int, files: Int = 1, version: String = "id-v2") -> [UInt8] {
        let params =
            #"{"version":"\#(version)","filesDone":\#(files),"files":2,"bytesDone":\#(bytes),"bytes":100}"#
        return Array(#"{"event":\#(event),"method":"progress","params":\#(params)}"#.utf8)
    }

    private var stage: Stage {
        var stage = Stage([ProgressGrows()])
        stage.launch()
        return stage
    }

    @Test("U7: the loading screen shows less than before; another process begins anew")
    func screen() {
        var stage = stage
        for shown in [Self.progress(0, 10), Self.progress(1, 10), Self.progress(1, 60)] {
            stage.emit(.screen(.loading(shown)), .screen(.offline))
        }
        #expect(stage.broken == [])
        var other = stage
        other.launch()
        other.emit(.screen(.loading(Self.progress(0, 5))))
        #expect(other.broken == [])
        stage.emit(.screen(.loading(Self.progress(2, 59))))
        #expect(stage.broken == ["U7"])
        #expect(stage.headline == "The progress on the loading screen fell")
    }

    @Test("U7: without a sum of bytes, files count")
    func files() {
        var stage = stage
        stage.emit(.screen(.loading(Self.progress(1, 90, of: nil))))
        stage.emit(.screen(.loading(Self.progress(1, 10, of: nil))))
        #expect(stage.broken == [])
        stage.emit(.screen(.loading(Self.progress(0, 99, of: nil))))
        #expect(stage.broken == ["U7"])
    }

    @Test("U7: more than there is", arguments: [(3, 10), (1, 101)])
    func tooMuch(files: Int, bytes: Int) {
        var stage = stage
        stage.emit(.screen(.loading(Self.progress(files, bytes))))
        #expect(stage.broken == ["U7"])
        #expect(stage.headline == "The progress on the loading screen is more than all")
    }

    @Test("U7: a page is told less of a version than before; another document and another version begin anew")
    func page() {
        var stage = stage
        stage.emit(.committed(.first, load: Stage.token(1), VersionMask()))
        stage.emit(.messageDelivered(.first, message(50, 1)), .messageDelivered(.first, message(50, 2)))
        #expect(stage.broken == [])
        var other = stage
        other.emit(.messageDelivered(.first, message(10, 3, version: "id-v3")))
        other.emit(.messageDelivered(.first, message(20, 4)))
        other.emit(.committed(.first, load: Stage.token(2), VersionMask()))
        other.emit(.messageDelivered(.first, message(5, 5)))
        #expect(other.broken == [])
        stage.emit(.messageDelivered(.first, message(49, 3, files: 2)))
        #expect(stage.broken == ["U7"])
        #expect(stage.headline == "The progress that a page is told fell")
    }
}
