/// The page on the manifest, which `otalab help manifest` prints and the guide has.
package enum ManifestPage {
    /// A manifest with every field of the tables, but for those of signed releases.
    package static let example = """
        {
          "format": "otalab-manifest-1",
          "app": "com.example.shop",
          "version": "2.4.0+9f3a61c",
          "serial": 1042,
          "channel": "stable",
          "created": "2026-11-20T12:00:00Z",
          "native": { "min": "5.2", "below": "6" },
          "dataSchema": 7,
          "dataSchemaReadableFrom": 6,
          "index": "/index.html",
          "files": [
            {
              "route": "/index.html", "size": 17,
              "sha256": "8e9f3b2a7f34e2a0b5a0c7a5d5c1f2b3a4d5e6f708192a3b4c5d6e7f8091a2b3",
              "url": "files/8e9f3b2a7f34e2a0b5a0c7a5d5c1f2b3a4d5e6f708192a3b4c5d6e7f8091a2b3.html"
            },
            {
              "route": "/videos/tour.mp4", "size": 4096000, "optional": true, "type": "video/mp4",
              "sha256": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
            }
          ],
          "rollout": { "share": 50, "of": 1000, "salt": "2.4.0", "otherwise": "manifest-1041.json" },
          "order": "update",
          "recalled": ["2.3.9"],
          "unblock": ["2.3.7"]
        }

        """

    package static var text: String {
        head + "```json\n" + example + "```\n\n## The release\n\n" + table(ManifestField.what)
            + "\n## A file\n\n" + table(ManifestField.file) + "\n" + afterFiles
            + "\n## Whom and how\n\n" + table(ManifestField.whomAndHow) + "\n" + shares
            + "\n## Signed releases\n\n" + signed + table(ManifestField.signing) + "\n" + end
    }

    private static func table(_ fields: [ManifestField]) -> String {
        "| field | required | what | refused |\n|---|---|---|---|\n"
            + fields.map { field in
                "| `\(field.name)` | \(field.isRequired ? "yes" : "no") | \(field.meaning) | \(field.refusals) |\n"
            }.joined()
    }

    private static let head = """
        # The manifest

        Every field of a release's manifest, what is refused, and under which cause the app reports it.

        ## Overview

        A manifest is a JSON document (RFC 8259) in UTF-8: at most 4 MiB, strict, no key twice.
        `otalab publish` writes it; any program may. `otalab schema manifest` prints its JSON Schema. Unknown fields are ignored, so that an older app takes a newer
        manifest; a change that older apps must not take has another `format`, and they refuse it with the
        cause `manifest-unknown-format`.


        """

    private static let afterFiles = """
        A field that is missing has the cause `manifest-field-missing`. The app's limits are settings of the
        app, and the causes name the limit.

        """

    private static let shares = """
        A device is inside a rollout where SHA-256(salt ‖ 0x00 ‖ device id), its first 8 bytes read as a
        big-endian number, modulo `of`, is below `share`.

        """

    private static let signed = """
        An app with keys takes a manifest only from a file that one of them has signed
        (`Sources/Updater/Updater.docc/SignedReleases.md`); an app without keys ignores these fields.


        """

    private static let end = """
        ## Other dialects

        Two more formats are read: a frontend manifest (`commit`, `date`, `files` with `path` and `route`,
        and `hash` and `size` where it has them) and Meteor's `manifest.json`. They have no orders, and
        promise less where they have no hashes.

        """
}
