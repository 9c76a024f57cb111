import Core

// What the origin, the remote root and the disk can do, by dialect, target and file.
extension SemanticValidator {
    /// What a manifest can state of its order depends on the dialect.
    mutating func checkStatedOrder(_ deploy: DeploySpec, at step: Step) {
        // Other orders are only not stated; a manifest of no version is refused.
        if scenario.app.manifest != .own, deploy.version == nil || deploy.order == .embedded {
            report(
                .impossible, "a manifest of this dialect names a version, and no order",
                label: "only with manifest: \"own\"", at: step.verbSpan,
                help: "deploy the version that is embedded")
        }
        guard let span = deploy.serial?.span ?? deploy.date?.span else { return }
        if deploy.parts == .files {
            report(
                .impossible, "files alone state neither serial nor date", label: "no manifest is published",
                at: span, help: "say it in the deploy of the manifest")
        } else if scenario.app.manifest == .meteor {
            report(
                .impossible, "a manifest of this dialect states neither serial nor date", label: "not here",
                at: span)
        } else if let serial = deploy.serial, scenario.app.manifest != .own {
            report(
                .impossible, "a manifest of this dialect states no serial", label: "not here",
                at: serial.span, help: "its order is its date")
        }
    }

    /// The files of an app package have the sizes that its manifest states, where those are no hints: an app
    /// with other ones is broken when it is built, and no update can mend it.
    mutating func checkPackageSizes() {
        guard [.own, .frontendWithHashes].contains(scenario.app.manifest) else { return }
        var seen: [SourceSpan] = []
        for name in scenario.app.builds.compactMap(\.embeds?.value) {
            let files = scenario.files(of: name)
            for file in files {
                guard let hint = file.spec.statedSize, hint.value != file.size, !seen.contains(hint.span)
                else {
                    continue
                }
                seen.append(hint.span)
                report(
                    .impossible, "'\(name)' is in the app package, whose sizes are true",
                    label: "another size",
                    at: hint.span, help: "leave it out, or say it of a version that is only deployed")
            }
        }
    }

    /// A call on an open file has no name that could be wrong (POSIX), and no program is written for it.
    mutating func checkDiskError(_ fault: FaultSpec) {
        guard case .diskError(let error) = fault.kind, error.isImpossible else { return }
        report(
            .impossible, "'\(error.call.rawValue)' does not fail with \(error.code.rawValue)",
            label: "an open file has no name", at: fault.span,
            help: "use \"open\" as call, or EIO as error")
    }

    /// The remote root of the API answers with what it was asked, and has neither edges nor versions.
    mutating func checkRemoteRoot(_ fault: FaultSpec) {
        guard fault.target == .api else { return }
        if scenario.app.api.isEmpty {
            report(
                .impossible, "no page has an API to ask", label: "the app has no 'api'", at: fault.span,
                help: "add api: [\"/api/\"] to the app")
        } else if let edge = fault.edge {
            report(
                .conflict, "an edge of the origin with \"api\"", label: "the remote root has no edges",
                at: edge.span, help: "leave it out")
        } else if !fault.kind.canMeetRemoteRoot {
            report(
                .impossible, "the remote root has no such fault", label: "only at the origin",
                at: fault.span, help: "status, answer, slow, reset, stall, truncate, refuse and others can be"
            )
        }
    }

    /// Meteor's index alone has a runtime configuration.
    mutating func checkConfiguration(_ fault: FaultSpec) {
        guard case .answer(let answer) = fault.kind, let first = answer.configuration.first else { return }
        if scenario.app.manifest != .meteor {
            report(
                .impossible, "an index without a runtime configuration",
                label: "only with manifest: \"meteor\"", at: first.name.span)
        } else if fault.target != .index {
            report(
                .impossible, "the index alone has a runtime configuration", label: "not all answers",
                at: fault.span, help: "add path: \"index\" to the step")
        }
    }

    /// What a damage means depends on the file.
    mutating func checkDamage(_ disk: DiskSpec) {
        if case .content(let reference) = disk.file.value { checkStored(reference, disk.file.span) }
        if case .part(let reference) = disk.file.value { checkStored(reference, disk.file.span) }
        switch (disk.damage.value, disk.file.value) {
        case (.newerFormat, .record), (.newerFormat, .records), (.create, .stray): break
        case (.newerFormat, _):
            report(
                .impossible, "only a record has a newer format", label: "not for this file",
                at: disk.damage.span, help: "write file: \"record\" or \"records\"")
        case (.create, _):
            report(
                .impossible, "only a stray file is created", label: "not for this file",
                at: disk.damage.span, help: "write file: \"stray in contents\"")
        case (_, .stray):
            report(
                .impossible, "a stray file can only be created", label: "not to a file that is not there",
                at: disk.damage.span, help: "write do: { create: \"4 KB\" }")
        default: break
        }
    }
}
