/// The files that an app ships in `www` for its pages, generated here so that page and host always match.
///
/// `otalab.js` is the page's end of the bridge, by the web view's message handler or over HTTP. `cordova.js`
/// has the object that Meteor's pages expect.
public enum PageSide {
    /// Name and text, sorted by name.
    public static let files: [(name: String, text: String)] = [
        ("cordova.js", bridge + meteor),
        ("otalab.js", bridge),
    ]

    /// JavaScript for native code to run in the main frame of each document before its scripts, where pages
    /// do not refer to `otalab.js`: they then see the address that was requested (G2), and their errors,
    /// links and messages reach the app. In a page that refers to it too the second one does nothing.
    public static var userScript: String { bridge }
}
