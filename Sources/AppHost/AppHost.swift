import Core
import LocalServer
import Updater

/// The app: joins updater, server and page, and is the only place that knows the words of both.
///
/// An inner effect of one becomes the sibling's event at once, within the same step: a page load asked
/// at the server is asked of the updater; its answer pins the load at the server. What neither can do
/// leaves as an ``Effect``.
///
/// **What it promises.** N4: a silent push checks at once and never reloads a page in front. N5: bridge
/// messages of any form get an answer or are dropped. R6: a message counts for the page load of the document
/// that sent it; the host attaches that load. T2: notices wait until a page listens. T4: a cover stands from
/// launch or switch to first content. S4: one port, bound again after background.
///
/// **What it deliberately does not do.** Choose versions (the updater does), attribute requests (the server
/// does), know sockets, threads or clocks.
public struct AppHost {}
