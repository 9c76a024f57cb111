import AppHost

/// ``PageSide`` for a page in a plain browser: the bridge is followed by a script that reports what a web
/// view would report of the page, and polls for the messages that native code would deliver.
package enum BrowserPageSide {
    /// Name and text, sorted by name; they replace the files of ``PageSide``.
    package static let files: [(name: String, text: String)] = [
        ("cordova.js", PageSide.bridge + browser + PageSide.meteor),
        ("otalab.js", PageSide.bridge + browser),
    ]

    static let browser = """
        (function () {
          "use strict";
          var otalab = window.otalab;
          var load = otalab.load;
          if (otalab.browser || !load) return;
          otalab.browser = true;
          var endpoint = "/__otalab/bridge?otalab-load=" + load, last = 0, isOver = false;

          function report(event, url) {
            return otalab.call("webView", url ? { event: event, url: url } : { event: event }).catch(function () {});
          }
          ["pushState", "replaceState"].forEach(function (name) {
            var own = history[name];
            history[name] = function () {
              var result = own.apply(history, arguments);
              report("moved", location.href);
              return result;
            };
          });
          addEventListener("popstate", function () { report("moved", location.href); });
          function deliver(message) {
            if (message.method !== "load") return otalab.receive(message);
            // Keeps the fragment of the same path, if none is requested: the page may have changed it.
            var there = new URL(message.params.url, location.href);
            if (!there.hash && there.pathname === location.pathname) there.hash = location.hash;
            location.replace(there.href);
          }
          otalab.handle("reload", function () {
            setTimeout(function () { location.reload(); }, 50);
            return true;
          });
          function listen(pause) {
            if (isOver) return;
            otalab.call("receive", { after: last }).then(function (items) {
              items.forEach(function (item) {
                if (item.number <= last) return;
                last = item.number;
                deliver(item.message);
              });
              listen(0);
            }, function (error) {
              // Another process has the port by now.
              if (/answers (403|421)$/.test(error.message)) isOver = true;
              var longer = Math.min(Math.max(pause * 2, 500), 30000);
              setTimeout(function () { listen(longer); }, longer);
            });
          }
          function shown() {
            requestAnimationFrame(function () { requestAnimationFrame(function () { report("contentShown"); }); });
          }
          if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", shown); else shown();
          if (document.readyState === "complete") report("loaded");
          else addEventListener("load", function () { report("loaded"); });
          // Links that native code takes over; a native web view reports them to its host itself.
          addEventListener("click", function (event) {
            var link = event.target.closest && event.target.closest("a[href]");
            if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey) return;
            if (!otalab.isNativeLink(link.href)) return;
            event.preventDefault();
            otalab.call("openLink", { url: link.href }).catch(function () {});
          });
          var isTouched = false;
          function touched(event) {
            if (isTouched || (event.type === "click" && !(event.target.closest && event.target.closest("a"))))
              return;
            isTouched = true;
            report("touched");
          }
          addEventListener("keydown", touched, true);
          addEventListener("click", touched, true);
          addEventListener("pagehide", function () {
            isOver = true;
            navigator.sendBeacon(endpoint, JSON.stringify({ method: "webView", params: { event: "closed" } }));
          });
          // A document that the browser kept and shows again has lost its load: a fresh one replaces it.
          addEventListener("pageshow", function (event) { if (event.persisted) location.reload(); });
          listen(0);
        })();

        """
}
