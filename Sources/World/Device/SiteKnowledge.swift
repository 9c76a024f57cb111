import Core

/// What a web view may know of the world: whose bytes it got, and what the scripts of a version do when
/// they run.
struct SiteKnowledge: Sendable {
    let library: Library
    /// The native interface of the installed build.
    let native: String?
    /// Page starts of each version on this device so far, by the version's place.
    let starts: [Int]

    /// How the page of this version starts now.
    func startup(of place: Int) -> StartupBehaviour {
        guard library.versions.indices.contains(place) else { return .normal }
        let number = starts.indices.contains(place) ? starts[place] : 1
        return library.versions[place].startup.behaviour(ofStart: max(number, 1), native: native)
    }
}
