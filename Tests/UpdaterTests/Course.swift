import Core
import HTTP1

@testable import Updater

/// What a device did and reported, one line for each effect: everything but steps, syncs and status.
extension Harness {
    /// With v1 embedded, started; its launch is in no course.
    static func forCourse(_ change: (inout Harness) -> Void = { _ in }) throws -> Harness {
        var device = try Harness(embedded: Version("v1", serial: 1))
        change(&device)
        try device.start()
        device.effects = []
        return device
    }

    /// The lines since the last call.
    mutating func takeCourse() -> String {
        let lines = effects.compactMap { line(of: $0) }
        effects = []
        return withoutRepeats(lines).joined(separator: "\n")
    }

    /// Writes two lines that are repeated in turn once, with their number.
    private func withoutRepeats(_ lines: [String]) -> [String] {
        var result: [String] = []
        var rest = lines[...]
        while let first = rest.first {
            let pair = Array(rest.prefix(2))
            var count = 1
            while rest.dropFirst(2 * count).prefix(2).elementsEqual(pair) { count += 1 }
            if pair.count < 2 || count < 3 {
                result.append(first)
                rest = rest.dropFirst()
            } else {
                result.append("\(count) times: \(pair.joined(separator: "; "))")
                rest = rest.dropFirst(2 * count)
            }
        }
        return result
    }

    private func line(of effect: Updater.Effect) -> String? {
        switch effect {
        case .again, .sync, .status: nil
        case .setTimer(let name, let after): "timer \(text(name)) \(after.microseconds / 1_000) ms"
        case .cancelTimer(let name): "no timer \(text(name))"
        case .fetch(let id, let request): "fetch \(id.rawValue) \(text(request))"
        case .cancelFetch(let id): "cancel \(id.rawValue)"
        case .verifySignatures(let id, let request):
            "verify \(id.rawValue) by \(request.claims.map(\.key.id).joined(separator: " "))"
        case .answerPageLoad(let token, let version):
            "page \(token.value) gets \(version?.key.id ?? "nothing")"
        case .ready: "ready"
        case .reload(let reason): "reload: \(reason.rawValue)"
        case .reloadOtherWebView(let token): "reload page \(token.value)"
        case .screen(let screen): "screen \(text(screen))"
        case .notice(let notice): "notice \(text(notice))"
        case .switchAnswered(let token, let answer): "switch of page \(token.value): \(text(answer))"
        case .log(let entry): "log \(text(entry))"
        case .current(let version): "current \(version?.key.id ?? "none")"
        case .retired(let key): "retired \(key.id)"
        }
    }

    private func text(_ name: Updater.TimerName) -> String {
        if case .idle(let id) = name { "idle \(id.rawValue)" } else { "\(name)" }
    }

    private func text(_ request: OriginRequest) -> String {
        let kind =
            switch request.kind {
            case .manifest: "manifest"
            case .file(let route): route
            case .outcomes: "outcomes"
            }
        let url = request.url.replacing("https://origin.example", with: "")
        let attempt = request.attempt == 1 ? "" : " attempt \(request.attempt)"
        var fields = request.fields.fields
        let selection = fields.filter { $0.name.hasPrefix("OTA-") }.map { field in
            field.value == updater.record.device ? "this device" : field.value
        }
        fields.removeAll {
            $0.name.hasPrefix("OTA-") || ($0.name == "Accept-Encoding" && $0.value == "identity")
        }
        return "\(kind) \(url)\(attempt)"
            + (selection.isEmpty ? "" : " for " + selection.joined(separator: ", "))
            + fields.map { " \($0.name)=\($0.value)" }.joined()
    }

    private func text(_ screen: Updater.Screen) -> String {
        if case .loading(let progress) = screen {
            "loading" + (progress.map { " " + text($0) } ?? "")
        } else {
            "\(screen)"
        }
    }

    private func text(_ progress: DownloadProgress) -> String {
        "\(progress.version.id) \(progress.filesDone)/\(progress.files) files, "
            + "\(progress.bytesDone)/\(progress.bytes.map { "\($0)" } ?? "?") bytes"
    }

    private func text(_ notice: Updater.Notice) -> String {
        switch notice {
        case .newVersionReady(let key): "newVersionReady \(key.id)"
        case .progress(let progress): "progress " + text(progress)
        case .error(let cause, let facts): "error \(cause.rawValue) \(facts)"
        case .recalled(let key): "recalled \(key.id)"
        case .forced(let key): "forced \(key.id)"
        }
    }

    private func text(_ answer: Updater.SwitchAnswer) -> String {
        switch answer {
        case .switched(let key): "switched to \(key.id)"
        case .nothingPending: "nothing is pending"
        case .tooOften: "too often"
        }
    }

    private func text(_ entry: LogEntry) -> String {
        [entry.cause.rawValue, entry.version ?? "", entry.detail].filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}
