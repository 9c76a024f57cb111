/// What a drawn world has names for; values of fields refer to them.
struct WorldNames: Sendable {
    var versions: [String] = []
    var edges: [String] = ["origin"]
    var builds: [String] = ["1.0"]
    var natives: [String] = []
    /// Routes that the first version has, and perhaps all others.
    var routes: [String] = []
    /// Paths below which the remote root answers; empty without a remote root.
    var api: [String] = []
    /// Several devices; empty for one.
    var devices: [String] = []
    /// Names that steps have given so far.
    var pages: [String] = []
    var faults: [String] = []
}
