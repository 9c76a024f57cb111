import Core

// The app, its builds and its settings.
extension FieldTable {
    static let app: ObjectCodec<AppSpec> = ObjectCodec(
        .app,
        {
            AppSpec(
                id: Spanned("", $0.span), manifest: .own, builds: [], installed: Spanned("", $0.span),
                settings: SettingsSpec())
        }
    ) {
        FieldCodec("id", \.id, .text, "The app's id; the port of its server follows from it (rule S4).")
            .fallback("com.example.shop")
        FieldCodec("manifest", \.manifest, .keywords, else: .own, "The manifest's dialect.")
        builds
        FieldCodec(
            "api", \.api, .list(.route, least: 1),
            "Paths that the remote root answers, with all below them where they end in a slash (rule S7).")
        FieldCodec(\.settings, settings)
    }

    /// The only build is said by the app itself; printed, all builds are alike.
    private static let builds: FieldCodec<AppSpec> = FieldCodec(
        [
            Field(
                "embeds", .nullable(.name(.version)),
                "The version inside the package; null or left out: none."),
            Field("native", .text, "The native interface of the only build."),
            Field("builds", several.type, "Native builds, where there are several.")
                .excluding(["embeds", "native"]),
            Field("installed", .name(.build), "The build that is installed first; else the first one."),
        ],
        read: { (record, app) throws(RecordDecodingError) in
            if let given = record["builds"] { app.builds = try several.read(given) }
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

    static let build: ObjectCodec<BuildSpec> = ObjectCodec(.build, { BuildSpec(name: Spanned("", $0.span)) })
    {
        FieldCodec(
            [
                Field(
                    "embeds", .nullable(.name(.version)), "The version inside this build's package.")
            ],
            read: { record, build in build.embeds = record["embeds"]?.text },
            print: { build, pairs in pairs.add("embeds", build.embeds.map { .text($0.value) }) })
        FieldCodec("native", \.native, .text, "A name for the native interface that this build has.")
        FieldCodec("number", \.number, .text, "Its build number, where that is not its name here: \"1.0\".")
    }

    static let settings: ObjectCodec<SettingsSpec> = ObjectCodec(.settings, { _ in SettingsSpec() }) {
        FieldCodec(
            "startupTimeout", \.startupTimeout, .duration, "How long a start may take in front (rule R3)."
        ).assumed("20s")
        FieldCodec("confirm", \.confirm, .keywords, "Who says that a version has started (rule R6).")
            .assumed("called")
        FieldCodec("checks", \.checks, .keywords, "Whether the app checks by itself (rule U5).").assumed(
            "automatic")
        FieldCodec("updates", \.updates, .keywords, "Whether the app updates at all (rule U14).")
            .assumed("automatic")
        FieldCodec("parallel", \.parallel, .whole(1...64), "Downloads at once (rule U5).").assumed(6)
        FieldCodec(
            "switchOnReload", \.switchOnReload, .flag,
            "Whether a reload by the page takes what is pending (rule U6)."
        ).assumed(true)
        FieldCodec(
            "switchOnReturn", \.switchOnReturn, .flag,
            "Whether the return after 30 min takes what is pending (rule U6)."
        ).assumed(false)
        FieldCodec("channel", \.channel, .text, "The channel of the origin (rule U9).").assumed("stable")
        FieldCodec("user", \.user, .text, "The user, as the origin is told (rule U9).")
        FieldCodec("cohort", \.cohort, .text, "The user's cohort, as the origin is told (rule U9).")
        FieldCodec(
            "metered", \.metered, .flag,
            "Whether versions are fetched over a network that costs (rule U15)."
        ).assumed(true)
        FieldCodec(
            "meteredUpTo", \.meteredUpTo, .size,
            "Where they are: what is missing may be so large, else it waits for another network (rule U15).")
        FieldCodec("outcomes", \.outcomes, .flag, "Whether outcomes are reported to the origin (rule T3).")
            .assumed(false)
    }
}
