import Core

extension ScenarioDecoder {
    func versions(_ record: Record) throws(Gap) -> [VersionSpec] {
        var versions: [VersionSpec] = []
        for entry in record.entries {
            let fields = try need(entry.value.record, "version", record)
            versions.append(
                VersionSpec(
                    name: Spanned(entry.key, entry.keySpan), from: fields.text("from"),
                    files: try files(fields.record("files")), changes: fields.texts("changes"),
                    without: fields.texts("without"), native: fields.text("native"),
                    startup: try startup(fields["startup"], owner: entry.keySpan),
                    dataSchema: fields.whole("dataSchema"),
                    dataSchemaReadableFrom: fields.whole("dataSchemaReadableFrom"), id: fields.text("id"),
                    folder: fields.text("folder"), span: fields.span))
        }
        return versions
    }

    private func files(_ record: Record?) throws(Gap) -> [FileSpec] {
        var files: [FileSpec] = []
        for entry in record?.entries ?? [] {
            var file = FileSpec(route: Spanned(entry.key, entry.keySpan), optional: false, immutable: false)
            if case .bytes(let size) = entry.value.content {
                file.size = entry.value.spanned(Int(size))
            } else if let fields = entry.value.record {
                file.size = fields.bytes("size")
                file.optional = fields.flag("optional")?.value ?? false
                file.immutable = fields.flag("immutable")?.value ?? false
                file.type = fields.text("type")
                file.sourceMap = fields.text("sourceMap")
                if let same = fields["same"], case .file(let reference) = same.content {
                    file.same = same.spanned(reference)
                }
            }
            files.append(file)
        }
        return files
    }

    private func startup(_ value: Value?, owner: SourceSpan) throws(Gap) -> StartupSpec {
        guard let value else {
            return StartupSpec(behaviour: .normal, first: nil, onNative: [], span: owner)
        }
        var startup = StartupSpec(
            behaviour: try behaviour(value), first: nil, onNative: [], span: value.span)
        guard let fields = value.record else { return startup }
        if let count = fields.whole("fails") {
            startup.first = FirstStarts(
                count: count, behaviour: try behaviour(try need(fields["how"], "how", fields)))
        }
        for entry in fields.record("on")?.entries ?? [] {
            startup.onNative.append(
                NativeStartup(native: Spanned(entry.key, entry.keySpan), startup: try behaviour(entry.value)))
        }
        return startup
    }

    private func behaviour(_ value: Value) throws(Gap) -> StartupBehaviour {
        guard let fields = value.record else {
            switch value.text?.value {
            case "hangs": return .hangs
            case "throws": return .throwsError(after: nil)
            case "dies": return .dies(.process, after: .zero)
            default: return .normal
            }
        }
        switch fields.head?.key {
        case "hangs": return .hangs
        case "throws": return .throwsError(after: fields.duration("throws")?.value)
        case "dies":
            let part: Spanned<DyingPart> = try need(fields.word("dies"), "dies", fields)
            return .dies(part.value, after: fields.duration("after")?.value ?? .zero)
        case "ready":
            let time = try need(fields.duration("ready"), "ready", fields).value
            return .staged(usable: time, confirms: time)
        case "usable":
            let usable = try need(fields.duration("usable"), "usable", fields).value
            if fields.text("confirms")?.value == "never" { return .staged(usable: usable, confirms: nil) }
            return .staged(usable: usable, confirms: fields.duration("confirms")?.value ?? usable)
        default: return .normal
        }
    }
}
