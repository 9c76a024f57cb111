import Updater

extension ManifestField {
    /// Whole numbers that a device counts with.
    private static let count: ClosedRange<Int64> = 0...Int64.max
    private static let versionID = Shape.text(pattern: "^[!-~]+$", longest: 128)
    private static let versionIDs = Shape.list(versionID, atMost: 256)
    private static let build = Shape.text(pattern: #"^[0-9]{1,9}(\.[0-9]{1,9}){0,7}$"#)
    private static let hash = Shape.text(pattern: "^[0-9A-Fa-f]{64}$")
    private static let route = Shape.text(pattern: "^/[^?#]*$")
    private static let limits = UpdaterLimits()

    /// All fields, by the tables of the page.
    package static let release = what + whomAndHow + signing

    static let what: [ManifestField] = [
        ManifestField(
            "format", .oneOf(["otalab-manifest-1"]), isRequired: true, "`otalab-manifest-1`",
            refused: "`manifest-unknown-format`"),
        ManifestField(
            "app", .text(), isRequired: true, "the app's id, as in its settings",
            refused: "another app's: `other-app`"),
        ManifestField(
            "version", versionID, isRequired: true, "an opaque id of 1 to 128 visible ASCII characters",
            refused: "`manifest-field-malformed`; none: `manifest-without-version`"),
        ManifestField(
            "serial", .whole(count),
            "whole number from 0; counts the publications of a channel, and a device only goes forward. "
                + "Without one two answers must agree (U8)",
            refused: "lower than one that was accepted: ignored"),
        ManifestField(
            "channel", .text(), "the channel it is for; absent: any",
            refused: "another channel's: `other-channel`"),
        ManifestField("created", .text(), "for people"),
        ManifestField(
            "native",
            .object([
                ManifestField("min", build, "the oldest build of the app that can run it"),
                ManifestField("below", build, "the first build that can't"),
            ]),
            "`min` and `below`: the builds of the app that can run it, compared number by number, `below` not "
                + "among them",
            refused: "a build outside does not take it (U10): `native-outside-range`"),
        ManifestField(
            "dataSchema", .whole(count), "the version of the data that its pages write (R12)"),
        ManifestField(
            "dataSchemaReadableFrom", .whole(count),
            "the lowest data schema of a version that can read what its pages write; absent: its own (R12)"),
        ManifestField(
            "index", route, isRequired: true,
            "the route that answers navigations; a row that is not optional",
            refused: "`manifest-field-malformed`"),
        ManifestField(
            "files", .list(.object(file), atMost: limits.assetCount), isRequired: true,
            "at most 20,000 rows; empty only with `\"order\": \"embedded\"`",
            refused: "`manifest-too-many-rows`"),
    ]

    static let file: [ManifestField] = [
        ManifestField(
            "route", route, isRequired: true,
            "absolute path as the page requests it, decoded; at most 1,024 bytes, no query, no dot segment; "
                + "each once",
            refused: "`manifest-unsafe-route`, `manifest-routes-clash`; two routes that are one name on many "
                + "disks: `manifest-paths-clash`"),
        ManifestField(
            "size", .whole(0...Int64(limits.fileBytes)), isRequired: true,
            "bytes; at most 512 MiB, all files 2 GiB", refused: "`file-too-large`, `version-too-large`"),
        ManifestField(
            "sha256", hash, isRequired: true, "64 hex digits of the content",
            refused: "`manifest-field-malformed`"),
        ManifestField(
            "url", .text(), "where to download it, relative to the manifest; default: the route",
            refused: "another origin than the app allows: `origin-change-not-allowed`"),
        ManifestField(
            "type", .text(pattern: "^[ -.0-~]*/[ -.0-~]*$", longest: 128),
            "media type; default: by the extension of the route", refused: "`manifest-field-malformed`"),
        ManifestField("optional", .flag, "whether pages work without it (U12)"),
        ManifestField(
            "immutable", .flag,
            "whether caches may keep it for ever; only where the route contains the hash",
            refused: "`manifest-field-malformed`"),
        ManifestField("sourceMap", route, "the route of its source map"),
    ]

    static let whomAndHow: [ManifestField] = [
        ManifestField(
            "rollout",
            .object([
                ManifestField(
                    "share", .whole(0...count.upperBound), isRequired: true, "how many of `of` devices"),
                ManifestField("of", .whole(1...count.upperBound), isRequired: true, "of how many"),
                ManifestField("salt", .text(), "decides which devices; default: the version"),
                ManifestField(
                    "otherwise", .text(longest: 4_096), "the URL of the manifest for the other devices"),
            ]),
            "`share` of `of` devices; `salt` (default: the version) decides which; `otherwise` is the URL of "
                + "the manifest for the others, at most three one after the other",
            refused: "a share greater than `of`: `rollout-impossible`"),
        ManifestField(
            "order", .oneOf(["update", "force", "rollBack", "embedded"]),
            "`update` (default), `force` (switch at the next possible moment), `rollBack` (an older version "
                + "again, and said to be one), `embedded` (leave all downloaded versions)",
            refused: "`manifest-field-malformed`"),
        ManifestField(
            "recalled", versionIDs,
            "at most 256 ids that no device may run, as long as the newest accepted manifest lists them",
            refused: "`manifest-field-malformed`"),
        ManifestField(
            "unblock", versionIDs, "at most 256 ids that devices take off their blacklist",
            refused: "`manifest-field-malformed`"),
    ]

    /// Read by an app with keys alone (U16).
    static let signing: [ManifestField] = [
        ManifestField(
            "expires", .text(), "date and time (ISO 8601) from which it is not accepted any more",
            refused: "`manifest-expired`"),
        ManifestField(
            "keys",
            .list(
                .object([
                    ManifestField("id", .text(), isRequired: true, "as signatures name it"),
                    ManifestField(
                        "algorithm", .oneOf(SignatureAlgorithm.allCases.map(\.rawValue)), isRequired: true,
                        "what it verifies"),
                    ManifestField(
                        "key", .text(pattern: "^([0-9A-Fa-f]{2})+$"), isRequired: true,
                        "the public key in hex"),
                ]), atLeast: 1, atMost: 16),
            "1 to 16 keys, each with `id`, `algorithm` (`ed25519`, `p256`) and `key` in hex, that replace those "
                + "of the app on this origin line, once a version of this manifest has confirmed",
            refused: "`manifest-field-malformed`"),
    ]
}
