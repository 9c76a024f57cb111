import Core
import ScenarioLanguage

/// The files of a new project.
enum ProjectFiles {
    static let settings = """
        {
          // VS Code reads scenarios as JSON with comments, and completes them by the schema beside this file.
          "files.associations": { "**/Scenarios/**/*.json5": "jsonc", ".otalab.json5": "jsonc" },
          "json.schemas": [
            {
              "fileMatch": ["/Scenarios/**/*.json5", "!/Scenarios/profiles/*.json5", "!/Scenarios/shared/*.json5"],
              "url": "./.vscode/otalab-scenario.schema.json"
            },
            {
              "fileMatch": ["/Scenarios/profiles/*.json5"],
              "url": "./.vscode/otalab-profile.schema.json"
            },
            {
              "fileMatch": ["/Scenarios/shared/*.json5"],
              "url": "./.vscode/otalab-use.schema.json"
            },
            {
              "fileMatch": ["/.otalab.json5"],
              "url": "./.vscode/otalab-settings.schema.json"
            }
          ]
        }

        """

    static let first = """
        {
          "schema": 1,
          "title": "An update that the origin offers runs after the next start",
          "covers": ["U1"],
          "app": { "id": "com.example.app", "embeds": "v1" },
          "versions": {
            "v1": { "files": { "index.html": "2 KB", "app.js": "40 KB" } },
            "v2": { "from": "v1", "changes": ["app.js"] },
          },
          "steps": [
            { "launch": true },
            { "deploy": "v2" },
            { "check": true },
            { "expect": { "running": "v1", "pending": "v2" }, "within": "10s" },
            { "relaunch": true },
            { "expect": { "running": "v2", "page": "ready", "confirmed": true }, "within": "10s" },
          ],
        }

        """

    /// The text with quoted keys, because VS Code reads the files of a project as JSON with comments.
    private static func quoted(_ text: String) -> String {
        do throws(JSONFault) {
            return String(
                decoding: try SourceFormatter.format(Array(text.utf8), keys: .quoted), as: UTF8.self)
        } catch {
            return text
        }
    }

    /// Path and text of each file, in the order in which they are printed.
    static func all(ci: CISample?) -> [(path: String, text: String)] {
        var files: [(path: String, text: String)] = [
            ("Scenarios/updating/first-update.json5", first),
            (".vscode/settings.json", settings),
            (".vscode/otalab-scenario.schema.json", LanguageSchema.text(of: .scenario)),
            (".vscode/otalab-profile.schema.json", LanguageSchema.text(of: .profile)),
            (".vscode/otalab-use.schema.json", LanguageSchema.text(of: .use)),
            (".vscode/otalab-settings.schema.json", SettingsKeys.schema),
            (".gitignore", "/Reports/\n"),
        ]
        files += ProfileSample.all.map { ("Scenarios/profiles/\($0.name).json5", quoted($0.text)) }
        if let ci { files.append((ci.path, ci.text)) }
        return files
    }
}
