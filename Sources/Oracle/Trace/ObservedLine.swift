/// An origin line as the settings state it: remote root and channel. What the device has accepted, left or
/// blacklisted holds within one of them (U8, R5).
package struct ObservedLine: Hashable, Sendable {
    package var origin: String
    package var channel: String

    package init(_ observed: ObservedState) {
        origin = observed.settings.origin
        channel = observed.settings.channel
    }
}
