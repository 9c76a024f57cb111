import AppHost
import Updater

/// What happened to a suspended process and is delivered when it runs again: transfers that the system cut,
/// and events of web views. Empty while the process runs.
struct HeldEvents: Sendable {
    private(set) var lostTransfers: [TransferID] = []
    private(set) var pageEvents: [HeldPageEvent] = []

    mutating func lose(_ transfer: TransferID) { lostTransfers.append(transfer) }

    /// The app has cancelled it; its end is not reported any more.
    mutating func forget(_ transfer: TransferID) { lostTransfers.removeAll { $0 == transfer } }

    mutating func hold(_ event: WebView.Event, of webView: WebViewID) {
        pageEvents.append(HeldPageEvent(webView: webView, event: event))
    }

    mutating func takeLostTransfers() -> [TransferID] {
        defer { lostTransfers = [] }
        return lostTransfers
    }

    mutating func takePageEvents() -> [HeldPageEvent] {
        defer { pageEvents = [] }
        return pageEvents
    }
}

struct HeldPageEvent: Sendable {
    let webView: WebViewID
    let event: WebView.Event
}
