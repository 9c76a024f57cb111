import Core

extension PrintedValue {
    static func version(_ version: VersionSpec) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("from", version.from?.value)
        pairs.add("id", version.id?.value)
        pairs.add("folder", version.folder?.value)
        if !version.files.isEmpty {
            pairs.add("files", .object(version.files.map { Pair($0.route.value, file($0)) }))
        }
        if !version.changes.isEmpty { pairs.add("changes", .texts(version.changes)) }
        if !version.without.isEmpty { pairs.add("without", .texts(version.without)) }
        pairs.add("native", version.native?.value)
        pairs.add("startup", startup(version.startup))
        pairs.add("dataSchema", version.dataSchema.map { .number($0.value) })
        pairs.add("dataSchemaReadableFrom", version.dataSchemaReadableFrom.map { .number($0.value) })
        return pairs.object
    }

    private static func file(_ file: FileSpec) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("size", file.size.map { .size($0.value) })
        if file.optional { pairs.add("optional", .yes) }
        if file.immutable { pairs.add("immutable", .yes) }
        pairs.add("same", file.same.map { .text(reference($0.value)) })
        pairs.add("type", file.type?.value)
        pairs.add("sourceMap", file.sourceMap?.value)
        if pairs.pairs.count == 1, let size = file.size { return .size(size.value) }
        return pairs.object
    }

    static func reference(_ file: FileReference) -> String { "\(file.version):\(file.route)" }

    private static func startup(_ startup: StartupSpec) -> PrintedValue? {
        var pairs = PrintedPairs()
        if let first = startup.first {
            pairs.add("fails", .number(first.count.value))
            pairs.add("how", behaviour(first.behaviour))
        } else if case .object(let said) = behaviour(startup.behaviour) {
            pairs.pairs = said
        }
        if !startup.onNative.isEmpty {
            let natives = startup.onNative.map { Pair($0.native.value, behaviour($0.startup)) }
            pairs.add("on", .object(natives))
        }
        return pairs.pairs.isEmpty ? nil : pairs.object
    }

    private static func behaviour(_ behaviour: StartupBehaviour) -> PrintedValue {
        var pairs = PrintedPairs()
        switch behaviour {
        case .normal: return .text("normal")
        case .hangs: pairs.add("hangs", .yes)
        case .throwsError(nil): pairs.add("throws", "at load")
        case .throwsError(let span?): pairs.add("throws", .after(durationText(span)))
        case .dies(let part, let span):
            pairs.add("dies", word: part)
            pairs.add("after", .duration(span))
        case .staged(let usable, let confirms) where usable == confirms:
            pairs.add("ready", .after(durationText(usable)))
        case .staged(let usable, let confirms):
            pairs.add("usable", .after(durationText(usable)))
            pairs.add("confirms", confirms.map { .after(durationText($0)) } ?? .text("never"))
        }
        return pairs.object
    }
}
