extension PageSide {
    /// `window.otalab`. A message goes out by the way that is there: a native message handler, else HTTP. The
    /// answer comes in the call or as an event of its own; both end the same promise (H3).
    static let bridge = """
        (function () {
          "use strict";
          if (window.otalab) return;
          // pushState may take the token out of the URL later.
          var load = (/[?&]otalab-load=([0-9a-f]{16})/.exec(location.search) || [])[1];
          var door = "/__otalab/bridge" + (load ? "?otalab-load=" + load : "");
          var handlers = {}, events = {}, waiting = {}, next = 1, last = 0, isOver = false;

          var native = null;
          var webkit = window.webkit && window.webkit.messageHandlers && window.webkit.messageHandlers.otalab;
          if (webkit) native = function (text) { webkit.postMessage(text); };
          else if (window.OTALabNative) native = function (text) { return window.OTALabNative.postMessage(text); };

          function post(message) {
            var text = JSON.stringify(message);
            if (native) {
              return new Promise(function (resolve) {
                waiting[message.id] = resolve;
                // One platform answers in the call, the other by otalab.receive.
                var answer = native(text);
                if (typeof answer === "string" && answer) receive(answer);
              });
            }
            return fetch(door, { method: "POST", body: text, credentials: "same-origin", cache: "no-store" })
              .then(function (answer) {
                if (answer.status === 403 || answer.status === 421) isOver = true;
                if (!answer.ok) throw new Error("the app answers " + answer.status);
                return answer.json();
              });
          }

          /// Asks native code; resolves to the result.
          function call(method, params) {
            var message = { method: method, id: next++ };
            if (params !== undefined) message.params = params;
            return post(message).then(function (answer) {
              if (answer.method === "error") throw new Error(answer.result);
              return answer.result;
            });
          }

          function tell(name, params) {
            (events[name] || []).slice().forEach(function (handler) {
              try { handler(params); } catch (error) { setTimeout(function () { throw error; }); }
            });
          }

          /// A message from native code: an answer, a question, or an event.
          function receive(message) {
            if (typeof message === "string") message = JSON.parse(message);
            if ("result" in message) {
              if (waiting[message.id]) waiting[message.id](message);
              delete waiting[message.id];
            } else if ("id" in message) {
              var handler = handlers[message.method];
              Promise.resolve().then(function () { return handler ? handler(message.params) : null; })
                .catch(function (error) { return { error: String(error) }; })
                .then(function (result) {
                  var text = { result: result === undefined ? null : result, id: message.id };
                  if (native) native(JSON.stringify(text)); else post(text).catch(function () {});
                });
            } else if (message.method === "load") {
              // To the same place, unless native code names one: it knows no fragment and no pushState.
              var there = new URL(message.params.url, location.href);
              if (there.pathname === location.pathname) there.hash = location.hash;
              location.replace(there.href);
            } else {
              tell(message.method, message.params);
            }
          }

          handlers.reload = function () { setTimeout(function () { location.reload(); }, 50); return true; };

          var otalab = window.otalab = {
            /// By the user agent (H1).
            isInApp: /mobile\\/app/.test(navigator.userAgent),
            call: call,
            /// Events: newVersionReady, progress, error, recalled, forced.
            on: function (name, handler) {
              (events[name] = events[name] || []).push(handler);
              call("listen").catch(function () {});
            },
            off: function (name, handler) {
              events[name] = (events[name] || []).filter(function (one) { return one !== handler; });
            },
            /// Answers questions of native code.
            handle: function (method, handler) { handlers[method] = handler; },
            ready: function () { return call("startupDidComplete"); },
            fail: function (message) { return call("startupDidFail", { message: String(message) }); },
            check: function () { return call("checkForUpdates"); },
            switchToPending: function () { return call("switchToPendingVersion"); },
            holdOff: function () { return call("holdOff"); },
            release: function () { return call("release"); },
            receive: receive
          };
          if (native || !load) return;

          // In a browser. Messages are asked for; what a web view would tell of the page is told here.
          function fact(event, url) {
            return call("webView", url ? { event: event, url: url } : { event: event }).catch(function () {});
          }
          ["pushState", "replaceState"].forEach(function (name) {
            var own = history[name];
            history[name] = function () {
              var result = own.apply(history, arguments);
              fact("moved", location.href);
              return result;
            };
          });
          addEventListener("popstate", function () { fact("moved", location.href); });
          function listen(pause) {
            if (isOver) return;
            call("receive", { after: last }).then(function (items) {
              items.forEach(function (item) {
                if (item.number <= last) return;
                last = item.number;
                receive(item.message);
              });
              listen(0);
            }, function () {
              var longer = Math.min(Math.max(pause * 2, 500), 30000);
              setTimeout(function () { listen(longer); }, longer);
            });
          }
          function shown() {
            requestAnimationFrame(function () { requestAnimationFrame(function () { fact("contentShown"); }); });
          }
          if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", shown); else shown();
          if (document.readyState === "complete") fact("loaded");
          else addEventListener("load", function () { fact("loaded"); });
          // Links that native code takes over; a native web view asks its host itself.
          var links = [];
          call("nativeLinks").then(function (known) { links = known; }, function () {});
          addEventListener("click", function (event) {
            var link = event.target.closest && event.target.closest("a[href]");
            if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey) return;
            var isNative = link.origin === location.origin && links.some(function (pattern) {
              return pattern.slice(-1) === "*"
                ? link.pathname.indexOf(pattern.slice(0, -1)) === 0 : link.pathname === pattern;
            });
            if (!isNative) return;
            event.preventDefault();
            call("openLink", { url: link.href }).catch(function () {});
          });
          var isTouched = false;
          function touched(event) {
            if (isTouched || (event.type === "click" && !(event.target.closest && event.target.closest("a"))))
              return;
            isTouched = true;
            fact("touched");
          }
          addEventListener("keydown", touched, true);
          addEventListener("click", touched, true);
          addEventListener("pagehide", function () {
            isOver = true;
            navigator.sendBeacon(door, JSON.stringify({ method: "webView", params: { event: "closed" } }));
          });
          // A document that the browser kept and shows again has lost its load: a fresh one takes its place.
          addEventListener("pageshow", function (event) { if (event.persisted) location.reload(); });
          listen(0);
        })();

        """
}
