/// Number of bytes that the contents of one version library have generated so far. For one thread at a time.
package final class ContentMeter: @unchecked Sendable {
    package private(set) var bytes = 0

    package init() {}

    func add(_ count: Int) { bytes += count }
}
