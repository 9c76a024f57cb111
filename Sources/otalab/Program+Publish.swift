import Authoring
import Core
import DeviceShell
import Foundation
import Publishing
import Runner
import Updater

extension Verb {
    static let publish = Verb(
        name: "publish", arguments: "[BUILD]",
        summary: "write a release into a folder that any web server or CDN serves: files, manifest, terms",
        options: [
            Option(
                "--to", value: "DIR", offer: .folders, "the folder that is served; made if it is not there"),
            Option("--app", value: "ID", "the app's id; needed for the first release of a folder"),
            Option(
                "--dialect", value: "NAME", offer: .choices(ReleaseDialect.allCases.map(\.rawValue)),
                "the format of the manifests: own (default), or frontend (commit, date and files)"),
            Option(
                "--place", value: "PATH",
                "where the folder is on its host, /shop for example; for --dialect frontend (default: /)"),
            Option("--id", value: "VERSION", "the version's id (default: one made from the files)"),
            Option("--serial", value: "N", "the publication's number (default: the next one)"),
            Option("--channel", value: "NAME", "the channel of the apps that take it"),
            Option("--native-min", value: "BUILD", "the oldest build of the app that can run it; any: all"),
            Option(
                "--native-below", value: "BUILD", "the first build of the app that can't run it; any: none"),
            Option("--data-schema", value: "N", "version of the data that its pages write"),
            Option(
                "--readable-from", value: "N",
                "the lowest data schema of a release that can read what its pages write (default: its own)"),
            Option(
                "--order", value: "ORDER", offer: .choices(["update", "force", "rollBack", "embedded"]),
                "how devices take it: update (default), force, rollBack, or embedded (without BUILD)"),
            Option(
                "--share", value: "SHARE",
                "offer it to a share of the devices: 5 %, or 1/1000; the others stay with the release before"),
            Option("--recall", value: "ID", repeats: true, "a version that no device may run any more"),
            Option("--unrecall", value: "ID", repeats: true, "end a recall; without it a recall stays"),
            Option(
                "--unblock", value: "ID", repeats: true, "a version that devices take off their blacklist"),
            Option(
                "--optional", value: "ROUTE", repeats: true,
                "files without which the pages work: a route, or the beginning of routes and *"),
            Option(
                "--keep", value: "N",
                "keep the last N publications and their files (default: all); the others are removed"),
            Option(
                "--sign", value: "KEY", offer: .files, repeats: true,
                "sign it with a key of 'otalab keys new'; with several, an app needs one of them"),
            Option(
                "--replace-keys", value: "KEY", offer: .files, repeats: true,
                "the keys that devices have once a version of this release has confirmed, and that later "
                    + "releases announce too; none: announce no keys any more; if signed"),
            Option("--unsigned", "publish without a signature where the release before has one"),
            Option(
                "--expires", value: "DAYS", "days after which devices do not accept it any more; if signed"),
            Option(
                "--embed", value: "DIR", offer: .folders,
                "write what is offered then as the package of the next native build; without BUILD nothing "
                    + "is published"),
            Option(
                "--browser",
                "with --embed: the page's scripts are those for a browser in place of a web view"),
            Option("--dry-run", "say what would be published, and write nothing"),
            Option("--check", "check instead that what the folder offers is complete and right, by hash"),
            Option(
                "--key", value: "KEY", offer: .files, repeats: true,
                "with --check: a key of the apps, of 'otalab keys public'; what they would refuse is a fault"),
            .color,
        ]
    ) { program in try program.publish() }
}

extension Program {
    /// 0: published, or nothing to publish; 1: not published, or `--check` found faults.
    func publish() throws -> ExitCode {
        _ = try paint()
        guard let folder = arguments.text("--to") else {
            throw UsageError(
                message: "publish needs the folder that is served", help: "otalab publish BUILD --to FOLDER")
        }
        if arguments.paths.count > 1 {
            throw UsageError(message: "more than one build", help: "publish one after the other")
        }
        let build = arguments.paths.first
        if arguments.has("--check") { return try checkPublished(folder, build) }
        let package = try AppPackageFolder(arguments, besides: [folder] + arguments.paths)
        if let package, build == nil { return embed(folder, in: package) }
        try requireApart(build, folder)
        var request = try publicationRequest(of: build)
        do throws(PublishError) {
            let isThere = FileManager.default.fileExists(atPath: folder)
            var disk = try isThere ? publishingDisk(folder, build) : emptyDisk(build)
            if let build {
                let files = try PublishedReleases.offeredFiles(&disk)
                let previous = files.isEmpty ? nil : ReleaseFolder(published: folder, files)
                guard isPublishable(build, after: previous) else { return .failed }
                request.build = try WebBuild.read(&disk, optional: arguments.texts("--optional"))
            }
            if arguments.has("--dry-run") {
                let summary = try Publication(request, on: &disk).summary(on: &disk)
                Output.result(text(of: summary, "would publish"))
                return .passed
            }
            if !isThere {
                // A folder is made once it is known that something is published into it.
                _ = try Publication(request, on: &disk)
                try PublishingFolders.make(folder)
                disk = try publishingDisk(folder, build)
            }
            let summary = try Publication.publish(request, on: &disk)
            Output.result(text(of: summary, "published"))
            note(keysIn: request, summary)
        } catch {
            return failed(error)
        }
        return package.map { embed(folder, in: $0) } ?? .passed
    }

    /// Who announces keys must have them, or no later release reaches the devices.
    private func note(keysIn request: Publication.Request, _ summary: Publication.Summary) {
        var terms = ReleaseTerms()
        request.terms(&terms)
        if terms.keys.isEmpty || summary.isUnchanged { return }
        let ids = terms.keys.map(\.id).joined(separator: " or ")
        Output.error(
            "note: where \(summary.version) has confirmed, only what is signed with \(ids) is taken; elsewhere "
                + "still what is signed with the keys before\n"
                + "  = help: sign with both until all devices have it: --sign OLD --sign NEW\n")
    }

    /// Writes what the folder offers as an app package.
    private func embed(_ folder: String, in package: AppPackageFolder) -> ExitCode {
        do throws(PublishError) {
            guard FileManager.default.fileExists(atPath: folder) else { throw .noRelease }
            var disk = try publishingDisk(folder, nil)
            let summary = try package.replace(with: &disk)
            Output.result(
                "embedded \(summary.version), serial \(summary.serial), in '\(package.path)': "
                    + "\(Quoting.count(summary.files, "file"))\n")
            return .passed
        } catch {
            return failed(error)
        }
    }

    private func failed(_ error: PublishError) -> ExitCode {
        Output.error("error: \(error.message)\n  = help: \(error.help)\n")
        return .failed
    }

    private func checkPublished(_ folder: String, _ build: String?) throws -> ExitCode {
        if let build {
            throw UsageError(
                message: "'\(build)' and --check exclude each other",
                help: "--check reads what is published; 'otalab lint --release \(build)' checks a build")
        }
        let authority = try authority()
        do throws(PublishError) {
            guard FileManager.default.fileExists(atPath: folder) else { throw .noRelease }
            var disk = try publishingDisk(folder, nil)
            let result = try PublicationCheck.result(of: &disk, by: authority)
            for fault in result.faults { Output.result("FAIL \(fault.name): \(fault.what)\n") }
            let what =
                "serial \(result.serial), \(result.version): \(Quoting.count(result.manifests, "manifest")), "
                + Quoting.count(result.files, "file")
            Output.result(
                result.faults.isEmpty
                    ? "ok   \(what), complete and right\n"
                    : "FAIL \(what), \(Quoting.count(result.faults.count, "fault"))\n")
            if result.faults.isEmpty { return .passed }
            Output.error("  = help: publish the same build again: what is wrong is written anew\n")
            return .failed
        } catch {
            return failed(error)
        }
    }

    /// - Returns: nil without `--key`.
    private func authority() throws(UsageError) -> PublicationCheck.Authority? {
        let keys = try PublicKeyFile.read(arguments.texts("--key"))
        if keys.isEmpty { return nil }
        guard let verifier = SystemSignatures() else { throw SigningKey.noLibrary }
        return PublicationCheck.Authority(keys: keys, verifier: verifier)
    }

    /// Findings of `lint --release` are shown first; after an error nothing is published. That content has
    /// changed under a name without a hash is none here: it is published under a name of its own.
    private func isPublishable(_ build: String, after previous: ReleaseFolder?) -> Bool {
        do throws(ReleaseLint.MissingFolder) {
            let findings = try ReleaseLint.findings(build, after: previous)
                .filter { $0.rule != ReleaseRule.changedWithoutHash.rawValue }
            for finding in findings { Output.error(finding.shown + "\n") }
            guard findings.contains(where: { $0.severity == .error }) else { return true }
            Output.error("error: nothing was published: the build has errors\n  = help: mend them first\n")
        } catch {
            Output.error(
                "error: there is no folder '\(error.path)'\n  = help: name the folder of a web build\n")
        }
        return false
    }

    /// A folder that holds the build would publish itself; a build that holds the folder would grow with each
    /// release.
    private func requireApart(_ build: String?, _ folder: String) throws {
        guard let build else { return }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: build, isDirectory: &isFolder), isFolder.boolValue else {
            throw UsageError(message: "there is no folder '\(build)'", help: "name the folder of a web build")
        }
        guard PublishingFolders.areNested(build, folder) else { return }
        throw UsageError(
            message: "'\(folder)' and '\(build)' are one inside the other",
            help: "publish into a folder beside the build")
    }

    private func text(of summary: Publication.Summary, _ verb: String) -> String {
        if summary.isUnchanged {
            return "nothing to publish: serial \(summary.serial - 1) offers \(summary.version) like that\n"
        }
        var text =
            "\(verb) \(summary.version) as serial \(summary.serial): \(Quoting.count(summary.files, "file"))"
        text +=
            summary.newFiles == 0
            ? ", none of them new"
            : ", \(summary.newFiles) of them new (\(Bytes.shown(summary.newBytes)))"
        if summary.removed > 0 { text += "; \(Quoting.count(summary.removed, "name")) removed" }
        return text + "\n"
    }
}

// MARK: - The call

extension Program {
    private func publicationRequest(of build: String?) throws -> Publication.Request {
        var request = Publication.Request(now: OriginTime(seconds: Publisher.epoch ?? Int64(time(nil))))
        request.app = arguments.text("--app")
        request.dialect = try dialect()
        request.place = try place()
        request.version = arguments.text("--id")
        request.serial = try arguments.number("--serial", in: 0...UInt64(Int32.max)).map { Int($0) }
        request.kept = try arguments.limit("--keep", nil, in: 1...1_000_000)
        request.share = try share()
        request.signers = try arguments.texts("--sign").map { try SigningKey.read($0).releaseSigner }
        request.isUnsignedAllowed = arguments.has("--unsigned")
        if let key = arguments.texts("--sign").first, arguments.has("--unsigned") {
            throw UsageError(
                message: "--sign \(key) and --unsigned exclude each other", help: "leave one of them out")
        }
        let expires = try expires(after: request.now)
        let keys = try announcedKeys()
        let order = try order(build)
        let minimum = try native("--native-min")
        let below = try native("--native-below")
        let schema = try arguments.number("--data-schema", in: 0...UInt64(Int32.max))
        let readable = try arguments.number("--readable-from", in: 0...UInt64(Int32.max))
        let (channel, recalled) = (arguments.text("--channel"), arguments.texts("--recall"))
        let (ended, unblocked) = (arguments.texts("--unrecall"), arguments.texts("--unblock"))
        request.terms = { terms in
            if let channel { terms.channel = channel }
            if let minimum { terms.native.minimum = minimum.build }
            if let below { terms.native.below = below.build }
            if let schema { terms.dataSchema = UntrustedInteger(schema) }
            if let readable { terms.dataSchemaReadableFrom = UntrustedInteger(readable) }
            terms.order = order
            terms.recalled.removeAll { ended.contains($0) }
            terms.recalled += recalled.filter { !terms.recalled.contains($0) }
            terms.unblock = unblocked
            terms.expires = expires
            if let keys { terms.keys = keys }
        }
        return request
    }

    /// - Returns: nil: those that the release before announces.
    private func announcedKeys() throws(UsageError) -> [PublicKey]? {
        let texts = arguments.texts("--replace-keys")
        if texts.isEmpty { return nil }
        guard arguments.has("--sign") else {
            throw UsageError(
                message: "--replace-keys counts only in a signed release",
                help: "sign it with a key that the apps have: --sign KEY")
        }
        if texts == ["none"] { return [] }
        let keys = try PublicKeyFile.read(texts)
        let ids = keys.map(\.id)
        if let twice = ids.first(where: { id in ids.count { $0 == id } > 1 }) {
            throw UsageError(
                message: "two of the keys are named '\(twice)'",
                help: "leave one out, or make one of another name")
        }
        return keys
    }

    /// - Returns: nil without the flag.
    private func dialect() throws(UsageError) -> ReleaseDialect? {
        guard let text = arguments.text("--dialect") else { return nil }
        if let dialect = ReleaseDialect(rawValue: text) { return dialect }
        let names = ReleaseDialect.allCases.map(\.rawValue).joined(separator: " or ")
        throw UsageError(message: "--dialect can't be '\(text)'", help: "write " + names)
    }

    /// - Returns: the path with a slash at both ends; nil without the flag.
    private func place() throws(UsageError) -> String? {
        guard let text = arguments.text("--place") else { return nil }
        let parts = text.split(separator: "/")
        let isPlain = parts.allSatisfy { part in
            part != "." && part != ".." && part.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
                && !part.contains { "?#%".contains($0) }
        }
        guard text.hasPrefix("/"), isPlain else {
            throw UsageError(
                message: "--place can't be '\(text)'", help: "write the path of the folder on its host: /shop"
            )
        }
        return parts.isEmpty ? "/" : "/" + parts.joined(separator: "/") + "/"
    }

    private func order(_ build: String?) throws -> ManifestCommand {
        guard let text = arguments.text("--order") else { return .update }
        guard let order = ManifestCommand(rawValue: text) else {
            throw UsageError(
                message: "--order can't be '\(text)'", help: "write update, force, rollBack or embedded")
        }
        if order == .embedded, build != nil {
            throw UsageError(
                message: "--order embedded sends devices back to the version inside the app",
                help: "leave the build out: otalab publish --to FOLDER --order embedded")
        }
        return order
    }

    private func expires(after now: OriginTime) throws -> OriginTime? {
        guard let days = try arguments.number("--expires", in: 1...3_650) else { return nil }
        guard arguments.has("--sign") else {
            throw UsageError(
                message: "--expires counts only in a signed release", help: "sign it with --sign KEY")
        }
        return now + .hours(24) * Int64(days)
    }

    /// - Returns: nil without the flag.
    private func native(_ name: String) throws -> NativeBound? {
        guard let text = arguments.text(name) else { return nil }
        if text == "any" { return .any }
        guard let build = NativeBuild(text) else {
            throw UsageError(
                message: "\(name) can't be '\(text)'", help: "write numbers and dots, 5.2 for example, or any"
            )
        }
        return .build(build)
    }

    /// `5 %`, `5%`, or `1/1000`.
    private func share() throws -> Publication.Share? {
        guard let text = arguments.text("--share") else { return nil }
        let plain = text.filter { $0 != " " }
        if plain.hasSuffix("%"), let share = Int(plain.dropLast()), (0...100).contains(share) {
            return Publication.Share(share: share, of: 100)
        }
        let parts = plain.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        if parts.count == 2, let share = parts[0], let of = parts[1], of >= 1, (0...of).contains(share) {
            return Publication.Share(share: share, of: of)
        }
        throw UsageError(message: "--share can't be '\(text)'", help: "write 5 %, or 1/1000")
    }
}

/// One end of the range of builds that can run a version.
private enum NativeBound {
    case any
    case build(NativeBuild)

    var build: NativeBuild? {
        switch self {
        case .any: nil
        case .build(let build): build
        }
    }
}

// MARK: - The disk

extension Program {
    /// The folder that is served, as the data volume, and the build, as the package.
    private func publishingDisk(_ folder: String, _ build: String?) throws(PublishError) -> PosixDisk {
        do throws(DiskError) {
            return try PosixDisk(data: folder, package: build, access: .everyone)
        } catch {
            throw .disk(error)
        }
    }

    /// In place of a folder that is not there yet: one that is removed as soon as it is open.
    private func emptyDisk(_ build: String?) throws(PublishError) -> PosixDisk {
        let folder = NSTemporaryDirectory() + "otalab-publish-" + UUID().uuidString
        try PublishingFolders.make(folder)
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
        return try publishingDisk(folder, build)
    }
}
