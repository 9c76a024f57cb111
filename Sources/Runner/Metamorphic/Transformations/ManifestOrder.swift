/// The order in which a manifest lists its files. It is the order of a directory on somebody's build machine.
struct ManifestOrder: Transformation {
    let name = "files in the opposite order in every manifest"
    let reason = "the order of a manifest's files means nothing"

    func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
        try base.requireNoRace()
        guard base.scenario.versions.contains(where: { base.scenario.files(of: $0.name.value).count != 1 })
        else {
            throw NotApplicable("no version lists two files")
        }
        return [Variant(name: name, scenario: base.scenario) { $0.app.listsFilesBackwards.toggle() }]
    }
}
