/// The script that reports what no delegate of a `WKWebView` does: first content, and the user's touch.
///
/// It runs in a world of its own, whose message handler a page's scripts can't see. A page that paints
/// nothing reports nothing, and its cover becomes R13's screen.
enum ViewScript {
    /// Name of the script's world, and of its message handler.
    static let name = "otalabView"

    enum Message: String, CaseIterable {
        case painted
        case touched
    }

    /// Runs at the start of each document of the main frame. WebKit has the entry
    /// `first-contentful-paint` since Safari 14.1 (iOS 14.5).
    static let source = """
        (function () {
          "use strict";
          function say(what) { window.webkit.messageHandlers.\(name).postMessage(what); }
          var observer = new PerformanceObserver(function (list) {
            list.getEntriesByName("first-contentful-paint").forEach(function () {
              observer.disconnect();
              say("\(Message.painted.rawValue)");
            });
          });
          observer.observe({ type: "paint", buffered: true });
          // One that comes back from the page cache paints no first content again.
          addEventListener("pageshow", function (event) {
            if (!event.persisted) return;
            requestAnimationFrame(function () {
              requestAnimationFrame(function () { say("\(Message.painted.rawValue)"); });
            });
          });
          ["touchstart", "mousedown", "keydown"].forEach(function (name) {
            addEventListener(name, function (event) {
              if (event.isTrusted) say("\(Message.touched.rawValue)");
            }, { capture: true, passive: true });
          });
        })();
        """

    /// Delivers a message event to the document of a page load, and returns whether it is the one in front:
    /// the body of a function with the arguments `load` and `text`.
    static let delivery = """
        if (!window.otalab || otalab.load !== load) return false;
        otalab.receive(text);
        return true;
        """
}
