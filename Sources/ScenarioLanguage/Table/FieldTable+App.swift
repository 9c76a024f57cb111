import Core

// The app, its builds and its settings.
extension FieldTable {
    static let app: Words<AppSpec> = Words(
        .app,
        {
            AppSpec(
                id: Spanned("", $0.span), manifest: .own, builds: [], installed: Spanned("", $0.span),
                settings: SettingsSpec())
        }
    ) {
        Word("id", \.id, .text, "The app's id; the port of its server follows from it (rule S4).")
            .fallback("com.example.shop")
        Word("manifest", \.manifest, .words, else: .own, "The manifest's dialect.")
        builds
        Word(
            "api", \.api, .list(.route, least: 1),
            "Paths that the remote root answers, with all below them where they end in a slash (rule S7).")
        Word(\.settings, settings)
    }

    /// The only build is said by the app itself; printed, all builds are alike.
    private static let builds: Word<AppSpec> = Word(
        [
            Field(
                "embeds", .nullable(.name(.version)),
                "The version inside the package; null or left out: none."),
            Field("native", .text, "The native interface of the only build."),
            Field("builds", several.type, "Native builds, where there are several.")
                .excluding(["embeds", "native"]),
            Field("installed", .name(.build), "The build that is installed first; else the first one."),
        ],
        read: { (record, app) throws(Gap) in
            if let said = record["builds"] { app.builds = try several.read(said) }
            if app.builds.isEmpty {
                app.builds = [
                    BuildSpec(
                        name: Spanned("1.0", record.span), embeds: record["embeds"]?.text,
                        native: record["native"]?.text)
                ]
            }
            app.installed = record["installed"]?.text ?? app.builds[0].name
        },
        print: { app, pairs in
            pairs.add("builds", several.print(app.builds))
            pairs.add("installed", .text(app.installed.value))
        })

    private static let several: Codec<[BuildSpec]> = .map(key: .text, \.name, .object(build))

    static let build: Words<BuildSpec> = Words(.build, { BuildSpec(name: Spanned("", $0.span)) }) {
        Word(
            [
                Field(
                    "embeds", .nullable(.name(.version)), "The version inside this build's package.")
            ],
            read: { record, build in build.embeds = record["embeds"]?.text },
            print: { build, pairs in pairs.add("embeds", build.embeds.map { .text($0.value) }) })
        Word("native", \.native, .text, "A name for the native interface that this build has.")
        Word("number", \.number, .text, "Its build number, where that is not its name here: \"1.0\".")
    }

    static let settings: Words<SettingsSpec> = Words(.settings, { _ in SettingsSpec() }) {
        Word(
            "startupTimeout", \.startupTimeout, .duration, "How long a start may take in front (rule R3)."
        ).assumed("20s")
        Word("confirm", \.confirm, .words, "Who says that a version has started (rule R6).")
            .assumed("called")
        Word("checks", \.checks, .words, "Whether the app checks by itself (rule U5).").assumed("automatic")
        Word("updates", \.updates, .words, "Whether the app updates at all (rule U14).")
            .assumed("automatic")
        Word("parallel", \.parallel, .whole(1...64), "Downloads at once (rule U5).").assumed(6)
        Word(
            "switchOnReload", \.switchOnReload, .flag,
            "Whether a reload by the page takes what is pending (rule U6)."
        ).assumed(true)
        Word(
            "switchOnReturn", \.switchOnReturn, .flag,
            "Whether the return after 30 min takes what is pending (rule U6)."
        ).assumed(false)
        Word("channel", \.channel, .text, "The channel of the origin (rule U9).").assumed("stable")
        Word("user", \.user, .text, "The user, as the origin is told (rule U9).")
        Word("cohort", \.cohort, .text, "The user's cohort, as the origin is told (rule U9).")
        Word(
            "metered", \.metered, .flag,
            "Whether versions are fetched over a network that costs (rule U15)."
        ).assumed(true)
        Word(
            "meteredUpTo", \.meteredUpTo, .size,
            "Where they are: what is missing may be so large, else it waits for another network (rule U15).")
        Word("outcomes", \.outcomes, .flag, "Whether outcomes are reported to the origin (rule T3).")
            .assumed(false)
    }
}
