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
            "Paths that the remote root answers; a path that ends in a slash includes all below it (rule S7)."
        )
        FieldCodec(
            "www", \.www, .packageFiles,
            "Files of the app package that belong to no version, by route (rule S1)."
        )
        FieldCodec(
            "nativeLinks", \.nativeLinks, .list(.text, least: 1),
            "Paths of links that native code takes over; \"/cart/*\" includes all below (rule N5).")
        FieldCodec(
            "ownLinks", \.ownLinks, .list(.text, least: 1),
            "Paths that are the app's own; native code takes over links to all others. Else all are (rule N5)."
        )
        FieldCodec(
            "nativeMethods", \.nativeMethods, .list(.text, least: 1),
            "Methods of messages that native code answers; it returns what they carry. An object that one carries"
                + " may have refuse: why, return: a text instead of a result, and after: seconds (rule N5).")
        FieldCodec(
            "debugger", \.isDebugged, .flag, else: false,
            "Whether a debugger is attached to the app's processes (rule R2).")
        FieldCodec(
            "testMessages", \.allowsTestMessages, .flag, else: false,
            "Whether a page may switch the app to another channel or API: a build for testers.")
        FieldCodec(
            "wallClock", \.wallClock, .signedDuration, else: .zero,
            "The device's wall clock, from the origin's time; an app reads it when it is launched (rule U16)."
        )
        FieldCodec(\.settings, settings)
    }

    /// Keys of the only build are in the app's object; printed, a single build is in `builds` too.
    private static let builds: FieldCodec<AppSpec> = FieldCodec(
        [
            Field(
                "embeds", .nullable(.name(.version)),
                "The version inside the package; null or left out: none."),
            Field("native", .text, "The native interface of the only build."),
            Field("keys", keys.type, "The keys of the only build.").excluding(["builds"]),
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
                        native: record["native"]?.text,
                        keys: try record["keys"].map { (given) throws(RecordDecodingError) in
                            try keys.read(given)
                        })
                ]
            }
            app.installed = record["installed"]?.text ?? app.builds[0].name
        },
        print: { app, pairs in
            pairs.add("builds", several.print(app.builds))
            pairs.add("installed", .text(app.installed.value))
        })

    private static let keys: Codec<[Spanned<String>]> = .list(.name(.key))

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
        FieldCodec(
            "origin", \.origin, .name(.edge),
            "The edge that is this build's own origin, under a remote root of its own, whatever the route: a new line (rule U9)."
        )
        FieldCodec(
            "keys", \.keys, keys,
            "Keys by which it accepts manifests; an empty list accepts none. Without it manifests are not signed (rule U16)."
        )
    }

    static let settings: ObjectCodec<SettingsSpec> = ObjectCodec(.settings, { _ in SettingsSpec() }) {
        FieldCodec(
            "startupTimeout", \.startupTimeout, .duration, "How long a start may take in front (rule R3)."
        ).assumed("20s")
        FieldCodec(
            "unclearEnds", \.unclearEnds, .whole(1...3),
            "Unclear ends in a row until the user gets another version (rule R3)."
        ).assumed(3)
        FieldCodec("confirm", \.confirm, .keywords, "Who confirms that a version has started (rule R6).")
            .assumed("called")
        FieldCodec("checks", \.checks, .keywords, "Whether the app checks automatically (rule U5).").assumed(
            "automatic")
        FieldCodec("updates", \.updates, .keywords, "Whether the app updates at all (rule U14).")
            .assumed("automatic")
        FieldCodec("parallel", \.parallel, .whole(1...64), "The number of parallel downloads (rule U5).")
            .assumed(6)
        FieldCodec(
            "switchOnReload", \.switchOnReload, .flag,
            "Whether a reload by the page switches to the pending version (rule U6)."
        ).assumed(true)
        FieldCodec(
            "switchOnReturn", \.switchOnReturn, .flag,
            "Whether the return after 30 min switches to the pending version (rule U6)."
        ).assumed(false)
        FieldCodec("channel", \.channel, .text, "The channel of the origin (rule U9).").assumed("stable")
        FieldCodec("user", \.user, .text, "The user, as reported to the origin (rule U9).")
        FieldCodec("cohort", \.cohort, .text, "The user's cohort, as reported to the origin (rule U9).")
        FieldCodec(
            "metered", \.metered, .flag,
            "Whether versions are downloaded over a metered network (rule U15)."
        ).assumed(true)
        FieldCodec(
            "meteredUpTo", \.meteredUpTo, .size,
            "If so: the largest amount still missing; above it, a version waits for another network (rule U15)."
        )
        FieldCodec("outcomes", \.outcomes, .flag, "Whether outcomes are reported to the origin (rule T3).")
            .assumed(false)
    }
}

extension Codec<[PackageFileSpec]> {
    fileprivate static var packageFiles: Codec {
        let size = Codec<Spanned<Int>>.spanned(.size)
        return .map(
            key: .route, size.type,
            read: { (pair) throws(RecordDecodingError) -> PackageFileSpec in
                PackageFileSpec(route: Spanned(pair.key, pair.keySpan), size: try size.read(pair.value))
            }, print: { .init($0.route.value, size.print($0.size)) })
    }
}
