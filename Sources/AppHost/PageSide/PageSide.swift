/// The files that an app ships in `www` for its pages (M15, M16), made here so that page and host can't part.
///
/// `otalab.js` is the page's end of the bridge; it runs in a native web view and, where the host is told that
/// a plain browser stands in for one, there too. `cordova.js` has the object that Meteor's pages expect.
public enum PageSide {
    /// Name and text, sorted by name.
    public static let files: [(name: String, text: String)] = [
        ("cordova.js", bridge + meteor),
        ("otalab.js", bridge),
    ]
}
