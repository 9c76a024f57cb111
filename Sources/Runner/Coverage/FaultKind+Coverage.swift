import Core
import ScenarioLanguage

extension FaultKind {
    /// Kind of the fault: amounts are left out, and of a status there is its class.
    var coverageName: String {
        switch self {
        case .refuse: "refused connection"
        case .dnsFailure: "no such host"
        case .connectTimeout: "connect timeout"
        case .blackHoledAddress: "black-holed address"
        case .insecure: "certificate not accepted"
        case .offline: "offline"
        case .staleEdge: "stale edge"
        case .captivePortal: "captive portal"
        case .indexForUnknown: "index for unknown"
        case .reset(let amount): amount == nil ? "reset before the head" : "reset in the body"
        case .stall(let amount): amount == nil ? "stall before the head" : "stall in the body"
        case .truncate: "truncated body"
        case .corrupt: "corrupted body"
        case .status(let status, _): "status \(status / 100)xx"
        case .answer(let answer): "other answer \(answer.status.value / 100)xx"
        case .slow(let operation, _): "slow \(operation.rawValue)"
        case .noSpace: "no space"
        case .shortWrites: "short writes"
        case .lockedDevice: "locked device"
        case .readOnlyDisk: "read-only disk"
        case .diskError(let error): "\(error.call.rawValue) fails"
        case .lateTimers: "late timers"
        case .portTaken: "port taken"
        case .portRefused: "port refused"
        case .lyingSync: "lying sync"
        }
    }

    /// All values of ``coverageName`` but the one of ``lyingSync``, for which the language has no word.
    static let coverageNames: [String] =
        [
            FaultKind.refuse, .dnsFailure, .connectTimeout, .blackHoledAddress, .insecure, .offline,
            .staleEdge,
            .captivePortal, .indexForUnknown, .reset(after: nil), .reset(after: .bytes(1)),
            .stall(after: nil),
            .stall(after: .bytes(1)), .truncate(.bytes(1)), .corrupt(bytes: 1, at: nil),
            .noSpace(after: 0), .shortWrites(1), .lockedDevice, .readOnlyDisk, .lateTimers(.zero), .portTaken,
            .portRefused,
        ].map(\.coverageName)
        + (1...5).map { FaultKind.status($0 * 100, headers: []).coverageName }
        + (1...5).map { FaultKind.answer(AnswerSpec($0 * 100)).coverageName }
        + SlowedOperation.allCases.map { FaultKind.slow($0, by: .zero).coverageName }
        + DiskCall.allCases.map { FaultKind.diskError(DiskErrorSpec(.inputOutput, $0)).coverageName }
}
