import Core
import Live

extension SubjectBackend {
    /// How a subject is run.
    package struct Options: Sendable {
        /// Path of the adapter and its arguments.
        package var command: [String]
        /// Seconds of the scenario in each second of the wall clock.
        package var speed: Int64 = 1
        /// Time for the first message and for each answer, by the wall clock.
        package var patience = TimeSpan.seconds(10)
        /// What the state folder has before the first launch.
        package var initialState: StateImage?
        /// The folder that it is a copy of, for a command that repeats the run.
        package var initialStatePath: String?
        /// Whether the subject's folder is left for somebody to look at when a scenario did not pass.
        package var keepsFolder = true
        /// Whether the adapter itself is checked: each command must have been answered at the end.
        package var checksAdapter = false
        /// The ports, where a state folder or a file of a version names them; nil: free ones.
        package var ports: Ports?
        /// Records the system calls of each process; nil: nothing does.
        package var recorder: CallRecorder?

        package init(command: [String]) { self.command = command }
    }

    /// Ports of this machine.
    package struct Ports: Hashable, Sendable {
        package var origin: UInt16
        /// The one that the subject is to listen on.
        package var app: UInt16

        package init(origin: UInt16, app: UInt16) {
            self.origin = origin
            self.app = app
        }

        /// Free ones for several runs, one after another; nil: none was found.
        static func lasting() -> Ports? {
            guard let origin = FreePort.lasting(), let app = FreePort.lasting(besides: [origin]) else {
                return nil
            }
            return Ports(origin: origin, app: app)
        }
    }
}
