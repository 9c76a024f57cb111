import AppHost
import Updater

/// What waits until a suspended or stopped process continues: transfers that the system ended, events of web
/// views, and work of the process itself. Empty while the process runs.
struct HeldEvents: Sendable {
    private(set) var lostTransfers: [TransferID] = []
    private(set) var pageEvents: [HeldPageEvent] = []
    private(set) var work: [WorldEvent.What] = []

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

    mutating func hold(_ work: WorldEvent.What) { self.work.append(work) }

    mutating func takeWork() -> [WorldEvent.What] {
        defer { work = [] }
        return work
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
