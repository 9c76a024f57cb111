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
    case deploy(String, DeployKind)
    case recall(String)
    case unblock(String)
    case storeUpdate(String)
    case network(String)
    case fault(LogFault)
    case heal
    case disk(String, LogDamage)
    case wait(TimeSpan)

    enum DeployKind: String, Hashable, Sendable {
        case update, force
        case rollBack = "roll back"
        case embedded
    }

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
    var actions: [WorldAction] {
        switch self {
        case .launch(let front): [.launch(foreground: front, name: nil)]
        case .kill(let word): [.kill(WorldDeathCause(rawValue: word) ?? LogMove.death(word))]
        case .powerCut: [.powerCut(.nothing)]
        case .restart: [.restartDevice]
        case .background: [.background]
        case .foreground: [.foreground]
        case .push: [.push]
        case .check: [.check]
        case .reload: [.page(nil, .reload, name: nil)]
        case .switchCall: [.page(nil, .calls(.switchToPendingVersion, after: .zero), name: nil)]
        case .types: [.user(.types(from: nil, to: nil))]
        case .looksForUpdate: [.user(.presses(.lookForUpdate))]
        case .swipesAway: [.user(.swipesAway)]
        case .deploy(let name, let kind): [.deploy(LogMove.deploy(name, kind))]
        case .recall(let name): [.recall([name])]
        case .unblock(let name): [.unblock([name])]
        case .storeUpdate(let build): [.storeUpdate(build: build)]
        case .network(let word):
            [.network(word == "offline" ? .offline : word == "metered" ? .metered : .online)]
        case .fault(let fault): [.fault(fault.fault)]
        case .heal: [.heal(nil)]
        case .disk(let file, let damage): [.damage(LogMove.thing(file), damage.damage)]
        case .wait: []
        }
    }

    private static func death(_ word: String) -> WorldDeathCause {
        word == "low memory" ? .lowMemory : .user
    }

    private static func deploy(_ name: String, _ kind: DeployKind) -> Deploy {
        var deploy = Deploy(kind == .embedded ? nil : name)
        // As a scenario's deploy does.
        deploy.keepsOldFiles = true
        switch kind {
        case .update: deploy.command = .update
        case .force: deploy.command = .force
        case .rollBack: deploy.command = .rollBack
        case .embedded: deploy.command = .embedded
        }
        return deploy
    }

    private static func thing(_ file: String) -> WorldStoredThing {
        switch file {
        case "record": return .record
        case "records": return .records
        default:
            let parts = file.split(separator: ":", maxSplits: 1).map(String.init)
            return .content(version: parts[0], route: parts.count > 1 ? parts[1] : "/")
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

    var fault: Fault {
        var fault = Fault(id: step.line, worldKind)
        switch path {
        case nil: fault.target = .all
        case "manifest": fault.target = .manifest
        case .some(let route): fault.target = .route(route)
        }
        fault.times = times
        return fault
    }

    private var worldKind: Fault.Kind {
        switch kind {
        case .refuse: return .refuse
        case .reset: return .reset(after: .percent(50))
        case .stall: return .stall(after: .percent(50))
        case .truncate: return .truncate(after: .percent(50))
        case .corrupt: return .corrupt(bytes: 1, at: nil)
        case .noSpace: return .noSpace(after: 0)
        case .staleEdge: return .staleEdge
        case .status(let code): return .status(code, fields: [])
        case .slow: return .slowAnswers(by: .minutes(5))
        case .manifest(let text):
            var answer = AnswerSetup(status: 200)
            answer.body = text
            return .answer(answer)
        case .busy:
            var answer = AnswerSetup(status: 429)
            answer.fields = [OriginField("Retry-After", "60")]
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

    var damage: WorldDamage {
        switch self {
        case .remove: .remove
        case .flip: .flip(bytes: 1)
        }
    }
}
