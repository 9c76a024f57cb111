import AppHost
import Backend
import Core
import ScenarioLanguage
import Testing
import Updater

@testable import Oracle

@Suite("The reference model knows what the origin has offered and recalled (U9, U13)")
struct OfferDecisionTests {
    /// v1 embedded and current; a process has begun and reported.
    private func running() -> Stage {
        var stage = Stage([Decisions()])
        stage.boot(1)
        stage.status {
            $0.current = Stage.v1
            $0.lastKnownGood = Stage.v1
        }
        stage.begin(Stage.v1, 1)
        return stage
    }

    private func broken(_ change: (inout Stage) -> Void) -> [String] {
        var stage = running()
        change(&stage)
        return stage.broken
    }

    @Test("U9: what a manifest offers to this device becomes pending; what none has offered does not")
    func offered() {
        let offered = broken {
            $0.answer("v2", serial: 2)
            $0.becomePending(Stage.v2)
        }
        #expect(offered == [])
        let withheld = broken {
            $0.answer("v2", serial: 2)
            $0.becomePending(Stage.v3)
        }
        #expect(withheld == ["U9"])
        let unknown = broken {
            $0.answer(nil)
            $0.becomePending(Stage.v3)
        }
        #expect(unknown == [], "an answer that can't be identified may offer anything")
        let nothing = broken {
            $0.answer(nil, serial: 3)
            $0.becomePending(Stage.v3)
        }
        #expect(nothing == ["U9"], "a manifest for other devices offers nothing")
    }

    /// v2 is pending, and the app says that it is recalled.
    private func recalled(_ change: (inout Stage) -> Void) -> [String] {
        broken {
            $0.answer("v2", serial: 2)
            $0.becomePending(Stage.v2)
            $0.emit(.recalled(["v2"]))
            $0.check("v1")
            $0.log(.recalled, Stage.v2)
            change(&$0)
        }
    }

    @Test("U13: a recalled version is not pending, once the record can say so")
    func pending() {
        #expect(recalled { $0.wait(.seconds(4)) } == [], "the report is as old as the record")
        #expect(recalled { $0.wait(.seconds(6)) } == ["U13"])
        let gone = recalled {
            $0.status { $0.pending = nil }
            $0.wait(.seconds(6))
        }
        #expect(gone == [])
        let freed = recalled {
            $0.emit(.unblocked(["v2"]))
            $0.wait(.seconds(6))
        }
        #expect(freed == [])
    }

    @Test("U13: a process start takes no recalled version while another is complete")
    func started() {
        let started = recalled {
            $0.status { $0.pending = nil }
            $0.wait(.seconds(6))
            $0.end(.user)
            $0.boot(1)
            $0.status { _ in }
            $0.open(Stage.v2, Stage.token(9))
        }
        #expect(started.contains("U13"))
        let left = recalled {
            $0.status { $0.pending = nil }
            $0.wait(.seconds(6))
            $0.end(.user)
            $0.boot(1)
            $0.status { _ in }
            $0.open(Stage.v1, Stage.token(9))
        }
        #expect(left == [])
        let atOnce = recalled {
            $0.end(.user)
            $0.boot(1)
            $0.status { $0.pending = Stage.v2 }
            $0.open(Stage.v2, Stage.token(9))
        }
        #expect(!atOnce.contains("U13"), "the process ended before the record could say so")
    }
}
