/// The order in which a manifest lists its files. It is the order of a directory on somebody's build machine.
struct ManifestOrder: Transformation {
    let name = "files in the opposite order in every manifest"
    let reason = "the order of a manifest's files means nothing"

    func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
        try base.requireNoRace()
        guard base.scenario.versions.contains(where: { $0.files.count > 1 }) else {
            throw NotApplicable("no version lists two files")
        }
        var changed = base.scenario
        for index in changed.versions.indices {
            changed.versions[index].files.reverse()
            changed.versions[index].changes.reverse()
        }
        return [Variant(name: name, scenario: changed)]
    }
}
