extension PageSide {
    /// `window.otalab`. A message is sent by a native message handler if there is one, else over HTTP. The
    /// answer comes in the call or as a separate event; both resolve the same promise (H3).
    package static let bridge = """
        (function () {
          "use strict";
          if (window.otalab) return;
          // pushState may take the token out of the URL later.
          var load = (/[?&]otalab-load=([0-9a-f]{16})/.exec(location.search) || [])[1];
          var endpoint = "/__otalab/bridge" + (load ? "?otalab-load=" + load : "");
          var handlers = {}, events = {}, waiting = {}, next = 1;

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
            return fetch(endpoint, { method: "POST", body: text, credentials: "same-origin", cache: "no-store" })
              .then(function (answer) {
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
                  var text = { result: result === undefined ? null : result, id: message.id };
                  if (native) native(JSON.stringify(text)); else post(text).catch(function () {});
                });
            } else {
              emit(message.method, message.params);
            }
          }

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
            /// Answers calls of native code.
            handle: function (method, handler) { handlers[method] = handler; },
            ready: function () { return call("startupDidComplete"); },
            fail: function (message) { return call("startupDidFail", { message: String(message) }); },
            check: function () { return call("checkForUpdates"); },
            switchToPending: function () { return call("switchToPendingVersion"); },
            holdOff: function () { return call("holdOff"); },
            release: function () { return call("release"); },
            receive: receive
          };
        })();

        """
}
