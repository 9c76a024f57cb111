import Core
import DeviceShell
import Foundation
import Live

/// Starts an adapter once, to read what it says about its updater.
package enum SubjectProbe {
    package enum ProbeFault: Error, Hashable, Sendable {
        /// The program can't be started; the system's reason.
        case notStarted(String)
        /// No first message within the patience.
        case silent(TimeSpan, errors: String)
        /// It ended before its first message.
        case ended(String, errors: String)
        case invalid(ProtocolFault)

        /// What is wrong, and a way out.
        package var text: String {
            switch self {
            case .notStarted(let why):
                "error: the adapter can't be started: \(why)\n  help: give the path of an executable file"
            case .silent(let patience, let errors):
                "error: the adapter sent no first message within \(patience.shown)\n"
                    + "  help: write {\"is\": \"subject\", \"protocol\": 1, …} and a line feed to stdout, and flush it"
                    + SubjectProbe.shown(errors)
            case .ended(let how, let errors):
                "error: the adapter ended before its first message, with \(how)\n"
                    + "  help: its first message comes before it needs anything; what it prints to stderr "
                    + "is shown here"
                    + SubjectProbe.shown(errors)
            case .invalid(let fault): fault.text
            }
        }
    }

    private static func shown(_ errors: String) -> String {
        errors.isEmpty ? "" : "\n  its standard error ends with:\n" + errors
    }

    /// - Throws: ``ProbeFault``.
    package static func describe(_ options: SubjectBackend.Options) throws(ProbeFault) -> SubjectDescription {
        let folder: SubjectFolder
        do { folder = try SubjectFolder() } catch { throw .notStarted("\(error)") }
        defer { folder.remove() }
        let process: SubjectProcess
        do throws(StartFault) {
            process = try SubjectProcess(
                options.command, environment: environment(folder), mark: "OTALAB_STATE",
                errors: folder.errors,
                removing: folder.path)
        } catch {
            throw .notStarted(error.why)
        }
        defer { process.end() }
        let clock = MonotonicClock()
        let start = clock.now
        var session = SubjectSession()
        while clock.now - start < options.patience {
            do throws(ProtocolFault) {
                _ = try session.take(process.read(), at: clock.now)
            } catch {
                throw .invalid(error)
            }
            if let description = session.description { return description }
            if let ending = process.exit(), process.read().isEmpty {
                throw .ended(ending.text, errors: folder.lastErrors(1_000))
            }
            var polled = pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, 20)
        }
        throw .silent(options.patience, errors: folder.lastErrors(1_000))
    }

    /// An app without content, whose origin nobody can reach.
    private static func environment(_ folder: SubjectFolder) -> [String: String] {
        [
            "OTALAB_PROTOCOL": "1", "OTALAB_STATE": folder.state, "OTALAB_PACKAGE": folder.package,
            "OTALAB_ORIGIN": "http://127.0.0.1:9/ota/manifest.json", "OTALAB_DIALECT": "own",
            "OTALAB_APP": "com.example.probe", "OTALAB_NATIVE": "1.0",
            "OTALAB_PORT": "\(FreePort.lasting() ?? 0)",
            "OTALAB_SETTINGS": "{}", "OTALAB_SPEED": "1", "OTALAB_SEED": "0",
        ]
    }
}
