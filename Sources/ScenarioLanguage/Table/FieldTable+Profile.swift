// The rows of a device profile: each a value and what it rests on.
extension FieldTable {
    static let profile: [Field] = [
        editors,
        Field("schema", .whole(1...1), "The number of this language; this laboratory reads 1.").required,
        Field("title", .text, "The device, as a person would say it.").required,
        fact("platform", .words(of: DevicePlatform.self), "The operating system."),
        fact("bootId", .words(of: BootIDTold.self), "Whether one boot can be told from another (rule R10)."),
        fact("exits", exits, "What the next process is told of the last one's end; else nothing (rule R3)."),
        fact("backgroundBudget", .duration, "How long a process runs on in background."),
        fact("socketsSurviveSuspension", .flag, "Whether the server's socket is there afterwards (rule S8)."),
        fact("reload", .words(of: ReloadSpec.self), "What a page's reload asks the server about again."),
        fact("tellsReload", .flag, "Whether the platform tells the app of a reload before its request."),
        fact("latency", .duration, "To the origin, one way."),
        fact("bandwidth", .bitRate, "From the origin, for all downloads together."),
        fact(
            "crashModel", .words(of: CrashModel.self),
            "In which order a power cut takes back what was written."),
        fact("sync", .words(of: SyncMeaning.self), "What the app's sync of a file achieves."),
        fact("sectors", .words(of: SectorSize.self), "What a power cut can tear."),
        fact(
            "names", .words(of: NamesSpec.self), "Which spellings of a file's name its volumes take for one."),
        fact("storage", .size, "The size of the data volume."),
        fact("diskCall", .duration, "What any call to the disk costs."),
        fact("fileSync", .duration, "What a sync of a file costs on top."),
        fact("folderSync", .duration, "What a sync of a folder costs on top."),
        fact("diskReads", .byteRate, "How fast the disk is read."),
        fact("diskWrites", .byteRate, "How fast the disk is written."),
    ]

    private static let exits = FieldType.map(
        key: .word(DeathCause.reportable.map(\.rawValue)), .words(of: ExitWord.self))

    private static func fact(_ key: String, _ type: FieldType, _ doc: String) -> Field {
        Field(key, .object(.fact(type)), doc).required
    }

    static func fact(_ type: FieldType) -> [Field] {
        [
            Field("is", type, "What holds on this device.").required,
            Field(
                "because", .text,
                "What that rests on: a document, a measurement, or that it is an assumption."
            )
            .required,
        ]
    }
}
