extension PageSide {
    /// `window.otalab`. A message is sent by a native message handler if there is one, else over HTTP. The
    /// answer comes in the call or as a separate event; both resolve the same promise (H3, H8).
    package static let bridge = """
        (function () {
          "use strict";
          if (window.otalab) return;
          // Before the address is shown without it, and before pushState takes it away.
          var load = (/[?&]otalab-load=([0-9a-f]{16})/.exec(location.search) || [])[1];
          var endpoint = "/__otalab/bridge" + (load ? "?otalab-load=" + load : "");
          var handlers = {}, events = {}, waiting = {}, next = 1;

          // iOS has a message handler, whose call may return a promise of the answer. Android has an object,
          // whose call may return the answer, or which has message events. Native code of either may hand
          // over a MessagePort; no window is the source of that event, so that no other page can.
          var native = null;
          var webkit = window.webkit && window.webkit.messageHandlers && window.webkit.messageHandlers.otalab;
          var android = window.OTALabNative;
          if (webkit) {
            native = function (text) { return webkit.postMessage(text); };
          } else if (android) {
            native = function (text) { return android.postMessage(text); };
            if (android.addEventListener)
              android.addEventListener("message", function (event) { receive(event.data); });
          }
          addEventListener("message", function (event) {
            var port = event.ports && event.ports[0];
            if (event.data !== "otalab" || event.source || !port) return;
            native = function (text) { port.postMessage(text); };
            port.onmessage = function (event) { receive(event.data); };
          });

          /// Sends a message to native code; it names its page load, because the address may not.
          function say(message) {
            if (load) message.load = load;
            return native(JSON.stringify(message));
          }

          function post(message) {
            if (native) {
              return new Promise(function (resolve, reject) {
                waiting[message.id] = resolve;
                // An answer in the call; where there is none, it comes by otalab.receive.
                function answered(answer) {
                  if (typeof answer === "string" && answer) answer = JSON.parse(answer);
                  if (!answer || typeof answer !== "object" || !("result" in answer)) return;
                  delete waiting[message.id];
                  resolve(answer);
                }
                function failed(error) {
                  delete waiting[message.id];
                  reject(error instanceof Error ? error : new Error(String(error)));
                }
                try {
                  var answer = say(message);
                  if (answer && typeof answer.then === "function") answer.then(answered).catch(failed);
                  else answered(answer);
                } catch (error) {
                  failed(error);
                }
              });
            }
            return fetch(endpoint, {
              method: "POST", body: JSON.stringify(message), credentials: "same-origin", cache: "no-store"
            }).then(function (answer) {
              if (!answer.ok) throw new Error("the app answers " + answer.status);
              return answer.json();
            });
          }

          /// Calls native code; resolves to the result.
          function call(method, params) {
            var message = { method: method, id: next++ };
            if (params !== undefined) message.params = params;
            return post(message).then(function (answer) {
              if (answer.method === "error") throw new Error(answer.result);
              return answer.result;
            });
          }

          function emit(name, params) {
            (events[name] || []).slice().forEach(function (handler) {
              try { handler(params); } catch (error) { setTimeout(function () { throw error; }); }
            });
          }

          /// A message from native code: an answer, a call, or an event.
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
                  var answer = { result: result === undefined ? null : result, id: message.id };
                  if (native) say(answer); else post(answer).catch(function () {});
                });
            } else {
              emit(message.method, message.params);
            }
          }

          var otalab = window.otalab = {
            /// By the user agent (H1).
            isInApp: /mobile\\/app/.test(navigator.userAgent),
            /// The id of this page load; undefined outside the app.
            load: load,
            call: call,
            /// Events: newVersionReady, progress, error, recalled, forced.
            on: function (name, handler) {
              (events[name] = events[name] || []).push(handler);
              call("listen").catch(function () {});
            },
            off: function (name, handler) {
              events[name] = (events[name] || []).filter(function (one) { return one !== handler; });
            },
            /// Answers calls of native code.
            handle: function (method, handler) { handlers[method] = handler; },
            ready: function () {
              isReady = true;
              return call("startupDidComplete");
            },
            fail: function (message) { return call("startupDidFail", { message: String(message) }); },
            check: function () { return call("checkForUpdates"); },
            switchToPending: function () { return call("switchToPendingVersion"); },
            holdOff: function () { return call("holdOff"); },
            release: function () { return call("release"); },
            receive: receive,
            isNativeLink: isNativeLink
          };

        """ + errors + links + address + """
              // For style sheets: what the app shows itself is hidden before the first paint (H5, H6).
              // Android runs a script of native code before there is an element.
              function markRoot() {
                if (document.documentElement) document.documentElement.classList.add("otalab-app");
                return !!document.documentElement;
              }
              if (otalab.isInApp && !markRoot() && typeof MutationObserver === "function") {
                new MutationObserver(function (changes, observer) {
                  if (markRoot()) observer.disconnect();
                }).observe(document, { childList: true });
              }
            })();

            """

    /// Errors that the page does not handle before it is ready: facts of the error report (T2), never a
    /// failure of the start (M10).
    private static let errors = """
          var isReady = false, errorCount = 0;
          function pageError(kind, message, source) {
            if (isReady || errorCount >= 5 || !(load || native)) return;
            errorCount += 1;
            var params = { kind: kind, message: String(message).slice(0, 250) };
            if (source) params.source = source.replace(location.origin, "").replace(/[?#].*$/, "");
            call("pageError", params).catch(function () {});
          }
          addEventListener("error", function (event) {
            // An element that did not load has no message.
            if (event.message) pageError("error", event.message, event.filename);
          });
          addEventListener("unhandledrejection", function (event) {
            pageError("rejection", event.reason && event.reason.message || event.reason);
          });

        """

    /// Links of native code (H4, H7). A navigation reaches the app or its server; `pushState` neither.
    private static let links = """
          var rules = { native: [], allowed: [] };
          if (load || native) {
            call("linkRules").then(function (known) { rules = known; }).catch(function () {});
          }
          function isNativeLink(url) {
            var link;
            try { link = new URL(url, document.baseURI || location.href); } catch (error) { return false; }
            if (link.origin !== location.origin)
              return rules.allowed.length > 0 && /^https?:$/.test(link.protocol);
            function fits(pattern) {
              return pattern.slice(-1) === "*"
                ? link.pathname.indexOf(pattern.slice(0, -1)) === 0 : link.pathname === pattern;
            }
            return rules.native.some(fits) || (rules.allowed.length > 0 && !rules.allowed.some(fits));
          }

        """

    /// The page sees the address that was requested (G2): the load's token is taken out of it before any
    /// later script. Requests are then attributed by a cookie, which all documents of the app share and which
    /// names the one that was loaded last. So while other documents are open, each has the token in its
    /// address, and is named by it as their `Referer`. So has, for good, one after which another was loaded,
    /// also if that one is gone, and one that comes back from the browser's page cache.
    private static let address = """
          var others = {}, isNewest = true, replace = history.replaceState;
          function showAddress() {
            var items = (location.search ? location.search.slice(1).split("&") : []).filter(function (item) {
              return !/^otalab-(load|key)=/.test(item);
            });
            if (!isNewest || Object.keys(others).length) items.push("otalab-load=" + load);
            var url = location.pathname + (items.length ? "?" + items.join("&") : "") + location.hash;
            if (url !== location.pathname + location.search + location.hash)
              replace.call(history, history.state, "", url);
          }
          var isAddressOurs = load && typeof BroadcastChannel === "function" && window.top === window;
          if (isAddressOurs) {
            var channel = new BroadcastChannel("otalab");
            channel.onmessage = function (event) {
              var from = event.data.load;
              if (event.data.is === "gone") delete others[from]; else others[from] = true;
              if (event.data.is === "new") {
                isNewest = false;
                channel.postMessage({ load: load, is: "here" });
              }
              showAddress();
            };
            showAddress();
            channel.postMessage({ load: load, is: "new" });
            addEventListener("popstate", showAddress);
            addEventListener("pagehide", function () { channel.postMessage({ load: load, is: "gone" }); });
            addEventListener("pageshow", function (event) {
              if (!event.persisted) return;
              isNewest = false;
              showAddress();
              channel.postMessage({ load: load, is: "new" });
            });
          }
          ["pushState", "replaceState"].forEach(function (name) {
            var own = history[name];
            history[name] = function (state, title, url) {
              if (url !== undefined && url !== null && isNativeLink(url)) {
                call("openLink", { url: new URL(url, document.baseURI || location.href).href })
                  .catch(function () {});
                return;
              }
              own.apply(history, arguments);
              if (isAddressOurs) showAddress();
            };
          });

        """
}
