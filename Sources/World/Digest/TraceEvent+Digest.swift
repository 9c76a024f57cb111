import Backend
import AppHost
import Core
import LocalServer
import ScenarioLanguage
import Updater

extension TraceEvent: Digested {
    /// Without the ordinal, which the order of mixing implies.
    func mix(into digest: inout ContentDigest) {
        digest.mix(UInt64(bitPattern: at.microseconds))
        digest.mix(device)
        digest.mix(process)
        digest.mix(cause)
        digest.mix(kind)
    }
}

extension TraceEvent.Kind: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .note, .actionDidNothing, .raced, .raceGivenUp: mixLab(&digest)
        case .deployed, .deployedFor, .recalled, .unblocked, .routed, .faultBegan, .faultApplied,
            .faultHealed:
            mixOrigin(&digest)
        case .networkChanged, .requestSent, .answerHead, .transferEnded, .transferFailed, .transferCancelled,
            .outcomes:
            mixNetwork(&digest)
        case .installed, .launched, .processEnded, .processFailed, .foregrounded, .backgrounded, .activated,
            .deactivated, .suspended, .resumed, .powerCut, .pushed, .checkRequested, .settingsChanged,
            .damaged, .boundExceeded, .answerDelayed,
            .callsOnStoppedDisk,
            .whiteBegan, .whiteEnded, .userDid:
            mixDevice(&digest)
        case .status, .log, .screen, .pageLoad, .answered, .report, .listening, .forwarded, .clientAnswered:
            mixApp(&digest)
        case .navigation, .pageRequested, .pageReceived, .committed, .contentShown, .pageReady, .pageFailed,
            .called, .messageDelivered, .nativeAsked, .nativeAnswered, .linkTaken,
            .touched, .webProcessDied, .pageClosed:
            mixPage(&digest)
        }
    }

    private func mixLab(_ digest: inout ContentDigest) {
        switch self {
        case .note(let text): digest.mix(1, text)
        case .actionDidNothing(let why): digest.mix(2, why)
        case .raced(let event): digest.mix(3, event.rawValue)
        case .raceGivenUp(let step): digest.mix(4, step)
        default: break
        }
    }

    private func mixOrigin(_ digest: inout ContentDigest) {
        switch self {
        case .deployed(let version, let edges, let parts, let command, let serial, let date):
            digest.mix(case: 5)
            digest.mix(version)
            digest.mix(edges)
            digest.mix(word: parts)
            digest.mix(word: command)
            digest.mix(serial)
            digest.mix(date)
        case .deployedFor(let audience, let version, let edges, let serial):
            digest.mix(6, audience, version)
            digest.mix(edges)
            digest.mix(serial)
        case .recalled(let versions):
            digest.mix(case: 7)
            digest.mix(versions)
        case .unblocked(let versions):
            digest.mix(case: 8)
            digest.mix(versions)
        case .routed(let edge): digest.mix(9, edge)
        case .faultBegan(let id, let diskDelay, let failsDisk, let timerDelay, let freeSpace):
            digest.mix(10, id)
            digest.mix(diskDelay)
            digest.mix(failsDisk)
            digest.mix(timerDelay)
            if let freeSpace { digest.mix(freeSpace) }
        case .faultApplied(let id): digest.mix(11, id)
        case .faultHealed(let id): digest.mix(12, id)
        default: break
        }
    }

    private func mixNetwork(_ digest: inout ContentDigest) {
        switch self {
        case .networkChanged(let state): digest.mix(13, state.rawValue)
        case .requestSent(let request): digest.mix(14, request)
        case .answerHead(let id, let status, let offered, let note):
            digest.mix(15, id, status)
            digest.mix(offered)
            digest.mix(note)
        case .transferEnded(let id, let bytes, let contentOf):
            digest.mix(16, id, bytes)
            digest.mix(contentOf)
        case .transferFailed(let id, let failure, let bytes):
            digest.mix(17, id, bytes)
            digest.mix(word: failure)
        case .transferCancelled(let id, let bytes): digest.mix(18, id, bytes)
        case .outcomes(let bytes):
            digest.mix(case: 19)
            digest.mix(bytes)
        default: break
        }
    }

    private func mixDevice(_ digest: inout ContentDigest) {
        switch self {
        case .installed(let build): digest.mix(20, build)
        case .launched(let foreground, let bootID):
            digest.mix(21, bootID)
            digest.mix(foreground)
        case .processEnded(let cause): digest.mix(22, cause.rawValue)
        case .processFailed(let why): digest.mix(65, why)
        case .foregrounded: digest.mix(case: 23)
        case .backgrounded: digest.mix(case: 24)
        case .activated: digest.mix(case: 57)
        case .deactivated: digest.mix(case: 58)
        case .suspended: digest.mix(case: 25)
        case .resumed: digest.mix(case: 26)
        case .powerCut(let survived, let of): digest.mix(27, survived, of)
        case .pushed: digest.mix(case: 28)
        case .checkRequested: digest.mix(case: 29)
        case .settingsChanged: digest.mix(case: 30)
        case .damaged(let what): digest.mix(31, what)
        case .boundExceeded(let counts): digest.mix(32, counts)
        case .callsOnStoppedDisk(let count): digest.mix(33, count)
        case .answerDelayed(let delay): digest.mix(56, delay)
        case .whiteBegan: digest.mix(case: 34)
        case .whiteEnded(let span): digest.mix(35, span)
        case .userDid(let action): digest.mix(36, action)
        default: break
        }
    }

    private func mixApp(_ digest: inout ContentDigest) {
        switch self {
        case .status(let status): digest.mix(37, status)
        case .log(let entry): digest.mix(38, entry)
        case .screen(let screen): digest.mix(39, screen)
        case .pageLoad(let view, let load, let key):
            digest.mix(40, view, load)
            digest.mix(key)
        case .answered(let answer): digest.mix(41, answer)
        case .report(let text): digest.mix(42, text)
        case .listening(let isListening):
            digest.mix(case: 43)
            digest.mix(isListening)
        case .forwarded(let request):
            digest.mix(59, request.method, request.target)
            digest.mix(request.fields.count)
            for field in request.fields { digest.mix(59, field.name, field.value) }
            digest.mix(request.body)
        case .clientAnswered(let request, let status, let content):
            digest.mix(content?.fields.count ?? -1)
            for field in content?.fields ?? [] { digest.mix(63, field) }
            digest.mix(content?.body)
            digest.mix(61, request.kind.rawValue, request.method)
            digest.mix(request.target)
            digest.mix(request.fields.count)
            for field in request.fields { digest.mix(61, field.name, field.value) }
            digest.mix(request.hasKey)
            digest.mix(request.namesOwnHost)
            digest.mix(status)
        default: break
        }
    }

    private func mixPage(_ digest: inout ContentDigest) {
        switch self {
        case .navigation(let view, let kind, let name):
            digest.mix(44, view, kind.rawValue)
            digest.mix(name)
        case .pageRequested(let request): digest.mix(45, request)
        case .pageReceived(let request, let answer): digest.mix(46, request, answer)
        case .committed(let view, let load, let versions):
            digest.mix(47, view, versions)
            digest.mix(load)
        case .contentShown(let view): digest.mix(48, view)
        case .pageReady(let view): digest.mix(49, view)
        case .pageFailed(let view, let why): digest.mix(50, view, why)
        case .called(let view, let method, let load):
            digest.mix(51, view, method.rawValue)
            digest.mix(load)
        case .messageDelivered(let view, let bytes):
            digest.mix(52, view)
            digest.mix(bytes)
        case .nativeAsked(let method): digest.mix(62, method)
        case .nativeAnswered(let method, let result):
            digest.mix(63, method)
            digest.mix(result != nil)
            if let result { digest.mix(result) }
        case .linkTaken(let url): digest.mix(64, url)
        case .touched(let view): digest.mix(53, view)
        case .webProcessDied(let view): digest.mix(54, view)
        case .pageClosed(let view, let load):
            digest.mix(55, view)
            digest.mix(load)
        default: break
        }
    }
}

extension Audience: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(user)
        digest.mix(cohort)
        digest.mix(channel)
        guard let share else { return }
        digest.mix(share)
        digest.mix(of)
        digest.mix(salt)
    }
}

extension RequestEvent: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(transfer)
        digest.mix(kind)
        digest.mix(url)
        digest.mix(version)
        digest.mix(edge)
        digest.mix(from)
        if let ifRange { digest.mix(ifRange) }
        digest.mix(isConditional)
        guard let asker else { return }
        for text in [
            asker.app, asker.device, asker.channel, asker.native, asker.running, asker.cohort, asker.user,
        ] {
            digest.mix(text ?? "-")
        }
    }
}

extension ManifestSignature: Digested {
    func mix(into digest: inout ContentDigest) {
        for name in signers { digest.mix(name) }
        digest.mix(expires.map { Int($0.seconds) })
        for name in keys { digest.mix(name) }
        digest.mix(hashesAll)
    }
}

extension AnswerSummary: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(serial)
        digest.mix(retryAfter)
        digest.mix(isRedirect)
        digest.mix(unsatisfiedLength)
        if let partFrom {
            digest.mix("part")
            digest.mix(partFrom)
        }
        if let tag { digest.mix(tag) }
        if isCoded { digest.mix("coded") }
        if isMisdated { digest.mix("misdated") }
        if let withheldSerial { digest.mix(withheldSerial) }
        if let date {
            digest.mix("date")
            digest.mix(Int(date.seconds))
        }
        if signature != ManifestSignature() { digest.mix(signature) }
    }
}

extension AnswerDelay: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(steps)
        digest.mix(syncs)
        digest.mix(urgent)
        digest.mix(largest)
    }
}

extension StepCounts: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(syncs)
        digest.mix(others)
        digest.mix(bytesRead)
        digest.mix(bytesWritten)
    }
}

extension PageRequest: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(webView)
        digest.mix(load)
        digest.mix(target)
        digest.mix(word: destination)
    }
}

extension PageAnswer: Digested {
    func mix(into digest: inout ContentDigest) {
        digest.mix(status)
        digest.mix(type)
        digest.mix(bytes)
        digest.mix(contentOf)
        digest.mix(isWhole)
        digest.mix(source.rawValue)
        guard let content else { return }
        for field in content.fields { digest.mix(field) }
        digest.mix(content.body)
    }
}

extension UserAction: Digested {
    func mix(into digest: inout ContentDigest) {
        switch self {
        case .waits: digest.mix(case: 0)
        case .types(let from, let to):
            digest.mix(case: 1)
            digest.mix(from)
            digest.mix(to)
        case .taps: digest.mix(case: 2)
        case .tapsLink: digest.mix(case: 3)
        case .swipesAway: digest.mix(case: 4)
        case .presses(let intent): digest.mix(5, intent.rawValue)
        }
    }
}
