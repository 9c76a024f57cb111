import AppHost
import Updater

/// Events of a suspended process that are delivered when it resumes: transfers that the system ended, and
/// events of web views. Empty while the process runs.
struct HeldEvents: Sendable {
    private(set) var lostTransfers: [TransferID] = []
    private(set) var pageEvents: [HeldPageEvent] = []

    mutating func lose(_ transfer: TransferID) { lostTransfers.append(transfer) }

    /// The app has cancelled the transfer, so its end is not reported.
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
