import Core
import Runner
import ScenarioLanguage
import Updater
import World

/// One line of a scenario that is being made, and the same for a world.
enum LogMove: Hashable, Sendable {
    case launch(front: Bool)
    case kill(String)
    case powerCut
    case restart
    case background
    case foreground
    case push
    case check
    case reload
    case switchCall
    case types
    case looksForUpdate
    case swipesAway
    case deploy(String, DeployOrder)
    case recall(String)
    case unblock(String)
    case storeUpdate(String)
    case network(String)
    case fault(LogFault)
    case heal
    case disk(String, LogDamage)
    case wait(TimeSpan)

    /// As a step.
    var step: PrintedValue {
        switch self {
        case .launch(true): ["launch": true]
        case .launch(false): ["launch": "background"]
        case .kill(let word): ["kill": "\(word)"]
        case .powerCut: ["powerCut": true]
        case .restart: ["restart": true]
        case .background: ["background": true]
        case .foreground: ["foreground": true]
        case .push: ["push": true]
        case .check: ["check": true]
        case .reload: ["page": "reload"]
        case .switchCall: ["page": "in front", "calls": "switchToPendingVersion"]
        case .types: ["user": "types"]
        case .looksForUpdate: ["user": "looks for an update"]
        case .swipesAway: ["user": "swipes the app away"]
        case .deploy(_, .embedded): ["deploy": "embedded"]
        case .deploy(let name, .update): ["deploy": "\(name)"]
        case .deploy(let name, let kind): ["deploy": "\(name)", "order": "\(kind.rawValue)"]
        case .recall(let name): ["recall": "\(name)"]
        case .unblock(let name): ["unblock": "\(name)"]
        case .storeUpdate(let build): ["storeUpdate": "\(build)"]
        case .network(let word): ["network": "\(word)"]
        case .fault(let fault): fault.step
        case .heal: ["heal": true]
        case .disk(let file, let damage): ["disk": ["file": "\(file)", "do": damage.value]]
        case .wait(let span): ["wait": .duration(span)]
        }
    }

    /// Nothing where time passes.
    var performance: Performance? {
        switch self {
        case .launch(let front): Performance(.launch(front ? .foreground : .background))
        case .kill(let word): Performance(.kill(DeathCause(rawValue: word) ?? .user))
        case .powerCut: Performance(.powerCut(.nothing))
        case .restart: Performance(.restart)
        case .background: Performance(.background)
        case .foreground: Performance(.foreground)
        case .push: Performance(.push)
        case .check: Performance(.check)
        case .reload: Performance(.page(PageSpec(action: .reload)))
        case .switchCall: Performance(.page(PageSpec(action: .calls(Spanned(.switchToPendingVersion)))))
        case .types: Performance(.user(.types(from: nil, to: nil)))
        case .looksForUpdate: Performance(.user(.presses(.lookForUpdate)))
        case .swipesAway: Performance(.user(.swipesAway))
        case .deploy(_, .embedded): Performance(.deploy(DeploySpec(nil, order: .embedded)))
        case .deploy(let name, let order): Performance(.deploy(DeploySpec(Spanned(name), order: order)))
        case .recall(let name): Performance(.recall([Spanned(name)]))
        case .unblock(let name): Performance(.unblock([Spanned(name)]))
        case .storeUpdate(let build): Performance(.storeUpdate(build: Spanned(build)))
        case .network(let word): Performance(.network(NetworkKind(rawValue: word) ?? .online))
        case .fault(let fault): Performance(.fault(fault.spec), as: fault.step.line)
        case .heal: Performance(.heal(nil))
        case .disk(let file, let damage):
            Performance(
                .disk(DiskSpec(file: Spanned(LogMove.thing(file)), damage: Spanned(damage.damage))))
        case .wait: nil
        }
    }

    private static func thing(_ file: String) -> StoredThing {
        switch file {
        case "record": return .record
        case "records": return .records
        default:
            let parts = file.split(separator: ":", maxSplits: 1).map(String.init)
            return .content(FileReference(version: parts[0], route: parts.count > 1 ? parts[1] : "/"))
        }
    }
}

/// Faults that a log can tell of.
struct LogFault: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case refuse, reset, stall, truncate, corrupt, noSpace, staleEdge
        case status(Int)
        case busy
        /// The manifest is this text.
        case manifest(String)
        /// Answers take five minutes.
        case slow
    }

    var kind: Kind
    /// `manifest`, or a route.
    var path: String?
    /// How often; nil: until it is healed.
    var times: Int?

    var isManifest: Bool { if case .manifest = kind { true } else { false } }

    var step: PrintedValue {
        var pairs = [PrintedValue.Pair("fault", value)]
        if let path { pairs.append(.init("path", .text(path))) }
        if let times { pairs.append(.init("times", .number(Int64(times)))) }
        return .object(pairs)
    }

    private var value: PrintedValue {
        switch kind {
        case .refuse: "refuse"
        case .reset: ["reset": "after 50%"]
        case .stall: ["stall": "after 50%"]
        case .truncate: ["truncate": "after 50%"]
        case .corrupt: ["corrupt": "1 byte"]
        case .noSpace: "no space"
        case .staleEdge: "stale edge"
        case .status(let code): ["status": .number(Int64(code))]
        case .slow: ["slow": "answers", "by": "5m"]
        case .manifest(let text): ["answer": ["status": 200, "body": .text(text)]]
        case .busy: ["answer": ["status": 429, "retry-after": "1m"]]
        }
    }

    var spec: FaultSpec {
        var spec = FaultSpec(faultKind, target: path.map { RequestSubject($0) })
        spec.times = times.map { Spanned($0) }
        return spec
    }

    private var faultKind: FaultKind {
        switch kind {
        case .refuse: return .refuse
        case .reset: return .reset(after: .percent(50))
        case .stall: return .stall(after: .percent(50))
        case .truncate: return .truncate(.percent(50))
        case .corrupt: return .corrupt(bytes: 1, at: nil)
        case .noSpace: return .noSpace(after: 0)
        case .staleEdge: return .staleEdge
        case .status(let code): return .status(code, headers: [])
        case .slow: return .slow(.answers, by: .minutes(5))
        case .manifest(let text):
            var answer = AnswerSpec(200)
            answer.body = Spanned(text)
            return .answer(answer)
        case .busy:
            var answer = AnswerSpec(429)
            answer.retryAfter = Spanned(.minutes(1))
            return .answer(answer)
        }
    }
}

enum LogDamage: Hashable, Sendable {
    case remove, flip

    var value: PrintedValue {
        switch self {
        case .remove: ["remove": true]
        case .flip: ["flip": "1 byte"]
        }
    }

    var damage: Damage {
        switch self {
        case .remove: .remove
        case .flip: .flip(bytes: 1)
        }
    }
}
