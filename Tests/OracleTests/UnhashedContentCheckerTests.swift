import AppHost
import Backend
import Core
import Testing
import Updater
import World

@testable import Oracle
@testable import Runner

@Suite("Content without a hash: U1 and S2 look at what arrived and what is served")
struct UnhashedContentCheckerTests {
    /// v2 without hashes is stored, and an answer brought this many bytes of its script.
    private func fetched(_ bytes: Int, ends: Bool = true) -> Stage {
        var stage = Stage([VerifiedBeforePending()])
        stage.launch()
        var image = Stage.image([Stage.v2])
        image.tables = [Stage.table(Stage.v2, hashed: false)]
        stage.store = Stage.both(image)
        for (number, route) in [(2, "/index.html"), (3, "/app.js")] as [(UInt32, String)] {
            let size = Stage.blob(Stage.v2, route).size
            stage.emit(Stage.sent(number, .file(route), version: Stage.v2), Stage.head(number, 200))
            if route == "/app.js", !ends {
                stage.emit(.transferFailed(TransferID(number), .truncated, bytes: bytes))
            } else {
                stage.emit(Stage.ended(number, bytes: route == "/app.js" ? bytes : size))
            }
        }
        stage.wait(.seconds(1))
        return stage
    }

    private func confirmed(_ stage: Stage, status: Int = 200, offered: String? = "v2") -> [String] {
        var stage = stage
        stage.emit(Stage.sent(9, .manifest), Stage.head(9, status, offered: offered), Stage.ended(9))
        stage.status { $0.pending = Stage.v2 }
        return stage.broken
    }

    private var size: Int { Stage.blob(Stage.v2, "/app.js").size }

    @Test("U1 fires when a script without a hash is pending that no answer brought whole")
    func cut() {
        #expect(confirmed(fetched(size)) == [])
        #expect(confirmed(fetched(size, ends: false)) == ["U1"])
        #expect(confirmed(fetched(size + 40)) == ["U1"])
    }

    @Test("U1: content that another stored version has need not arrive")
    func known() {
        var stage = fetched(1, ends: false)
        var other = Stage.table(Stage.v3, hashed: false)
        other.contents = Stage.table(Stage.v2).contents
        stage.store.live.tables.append(other)
        #expect(confirmed(stage) == [])
    }

    @Test("U1: an answer without content does not say that the version is still offered")
    func noContent() {
        #expect(confirmed(fetched(size), status: 204, offered: nil) == ["U1"])
        #expect(confirmed(fetched(size), status: 304, offered: nil) == ["U1"])
        // What an altered manifest offers is not known.
        #expect(confirmed(fetched(size), offered: nil) == [])
    }

    @Test("U1 fires when Meteor's index is that of another version")
    func otherIndex() {
        for (index, rules) in [(1, []), (2, ["U1"])] {
            var stage = Stage([VerifiedBeforePending()])
            stage.launch()
            var image = Stage.image([Stage.v2])
            var table = Stage.table(Stage.v2, hashed: false)
            table.table.dialect = .meteor
            image.tables = [table]
            stage.store = Stage.both(image)
            let size = Stage.blob(Stage.v2, "/index.html").size
            stage.emit(
                Stage.sent(1, .file("/index.html"), version: Stage.v2), Stage.head(1, 200),
                .transferEnded(TransferID(1), bytes: size, contentOf: VersionMask(index: index)))
            #expect(confirmed(stage) == rules)
        }
    }

    @Test("S2: a file without a hash has bytes of a version, unless the origin sent others")
    func served() {
        for (isAltered, rules) in [(false, ["S2"]), (true, [])] {
            var stage = Stage.running(VerifiedBytes()) { $0.dialect = .frontend }
            var mask = VersionMask()
            if !isAltered { mask.insert(1) }
            stage.emit(
                Stage.sent(1, .file("/app.js"), version: Stage.v2), Stage.head(1, 200),
                .transferEnded(TransferID(1), bytes: 60, contentOf: mask))
            stage.open(Stage.v2, Stage.token(1))
            var right = stage
            let request = Stage.request(Stage.token(1), "/app.js")
            right.emit(.pageReceived(request, Stage.answer(of: 1)))
            #expect(right.broken == [])
            stage.emit(.pageReceived(request, Stage.answer()))
            #expect(stage.broken == rules)
        }
    }
}

@Suite("U3: a part that is continued as part of another answer, seen to be noticed")
struct ContinuedPartTests {
    /// An answer brings the beginning of a file and breaks off.
    static func begin(_ stage: inout Stage, tag: String?, status: Int = 200) {
        stage.emit(
            Stage.sent(1, .file("/app.js"), version: Stage.v2), Stage.head(1, status, tag: tag),
            .transferFailed(TransferID(1), .reset, bytes: 50))
    }

    static func rest(after tag: String?, version: VersionKey = Stage.v2) -> TraceEvent.Kind {
        Stage.sent(2, .file("/app.js"), version: version, from: 50, ifRange: tag)
    }

    private func broken(_ act: (inout Stage) -> Void) -> [String] {
        var stage = Stage([ContinuedParts()])
        stage.launch()
        act(&stage)
        return stage.broken
    }

    @Test("It depends on another tag, or on one that the answer did not have; in the next process, too")
    func fires() {
        let other = broken { stage in
            Self.begin(&stage, tag: "\"a\"")
            stage.emit(Self.rest(after: "\"b\""))
        }
        let anew = broken { stage in
            Self.begin(&stage, tag: "\"a\"")
            Self.begin(&stage, tag: nil)
            stage.emit(.processEnded(.user))
            stage.launch()
            stage.emit(Self.rest(after: "\"a\""))
        }
        #expect(other == ["U3"])
        #expect(anew == ["U3"])
    }

    @Test(
        "A beginning without a tag has that of the first answer that continued it",
        arguments: [
            ("\"a\"", []), ("\"b\"", ["U3"]), ("\"c\"", ["U3"]),
        ])
    func laterTag(tag: String, rules: [String]) {
        let found = broken { stage in
            Self.begin(&stage, tag: nil)
            for (number, each) in [(2, "\"a\""), (3, "\"b\"")] as [(UInt32, String)] {
                stage.emit(
                    Stage.sent(number, .file("/app.js"), version: Stage.v2, from: 50),
                    Stage.head(number, 206, tag: each),
                    .transferFailed(TransferID(number), .reset, bytes: 1))
            }
            stage.emit(Stage.sent(4, .file("/app.js"), version: Stage.v2, from: 52, ifRange: tag))
        }
        #expect(found == rules)
    }

    @Test("Not where it has that tag or none, where another version shares it, or where it is not known")
    func silent() {
        for tag in ["\"a\"", nil] {
            let own = broken { stage in
                Self.begin(&stage, tag: "\"a\"")
                Self.begin(&stage, tag: nil, status: 503)
                stage.emit(Self.rest(after: tag))
            }
            #expect(own == [])
        }
        let cut = broken { stage in
            Self.begin(&stage, tag: "\"a\"")
            stage.emit(Stage.sent(1, .file("/app.js"), version: Stage.v2), Stage.head(1, 200))
            stage.emit(.transferCancelled(TransferID(1), bytes: 50), Self.rest(after: "\"a\""))
        }
        let damaged = broken { stage in
            Self.begin(&stage, tag: "\"a\"")
            stage.emit(.damaged("part"), Self.rest(after: "\"b\""))
        }
        let shared = broken { stage in
            stage.emit(
                Stage.sent(1, .file("/app.js"), version: Stage.v2), Stage.head(1, 200, tag: "\"a\""),
                .transferFailed(TransferID(1), .reset, bytes: 50),
                Stage.sent(1, .file("/app.js"), version: Stage.v1), Stage.head(1, 200, tag: "\"b\""),
                .transferFailed(TransferID(1), .reset, bytes: 50), Self.rest(after: "\"b\""))
        }
        #expect(cut + damaged + shared == [])
    }
}
