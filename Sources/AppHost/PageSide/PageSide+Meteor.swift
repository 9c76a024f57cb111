extension PageSide {
    /// What Meteor's own packages call: `WebAppLocalServer` and `deviceready`.
    package static let meteor = """
        (function () {
          "use strict";
          if (window.WebAppLocalServer) return;
          // One slot each, as in the plugin: a callback replaces the one before.
          var newVersion = null, failed = null;
          // Only from the first callback on: what comes before a page listens is kept for it (T2).
          var isListening = false;
          function listenOnce() {
            if (isListening) return;
            isListening = true;
            otalab.on("newVersionReady", function (params) { if (newVersion) newVersion(params.version); });
            otalab.on("error", function (params) {
              if (failed) failed(new Error(params.detail ? params.cause + ": " + params.detail : params.cause));
            });
          }
          function then(promise, done, error) {
            promise.then(function (result) { if (done) done(result); },
              function (fault) { if (error) error(fault.message); else if (failed) failed(fault); });
          }
          window.WebAppLocalServer = {
            startupDidComplete: function (done) { then(otalab.ready(), done); },
            checkForUpdates: function (done) { then(otalab.check(), done); },
            onNewVersionReady: function (callback) { newVersion = callback; listenOnce(); },
            switchToPendingVersion: function (done, error) { then(otalab.switchToPending(), done, error); },
            onError: function (callback) { failed = callback; listenOnce(); },
            localFileSystemUrl: function (url) {
              return url.indexOf("file://") === 0 ? "/local-filesystem" + url.substring(7) : url;
            }
          };
          if (window.cordova) return;
          window.cordova = { platformId: "browser" };
          function ready() { document.dispatchEvent(new Event("deviceready")); }
          // A listener that is added later is called too, as with Cordova's sticky event.
          var isReady = false, listen = document.addEventListener;
          document.addEventListener = function (name, handler) {
            if (name === "deviceready" && isReady) return setTimeout(function () { handler(new Event(name)); });
            return listen.apply(document, arguments);
          };
          addEventListener("load", function () { isReady = true; ready(); });
        })();

        """
}
