extension VersionLibrary {
    /// Target of a request that the app's first API pattern matches; a start that needs the API sends it.
    var apiTarget: String {
        guard let pattern = setup.app.api.first else { return "/api" }
        return pattern.hasSuffix("**") ? pattern.dropLast(2) + "start" : pattern
    }
}
