import Core

/// An event of a kqueue, or a change to one: the fields of `struct kevent` but `udata`.
///
/// A value of this package, with the numbers of Apple's `sys/event.h` (xnu, `bsd/sys/event.h`), so that the
/// code which makes and reads them is compiled and tested on systems without kqueue.
struct KernelEvent: Hashable, Sendable {
    /// Descriptor, or the timer's id.
    var ident: UInt
    var filter: Filter
    var flags: Flags
    /// Of a timer: unit and clock. Of an event with ``Flags/endOfFile``: the socket's error, 0: none.
    var filterFlags: UInt32 = 0
    /// Of a timer: its time. Of a read filter: bytes that can be read. With ``Flags/error``: the `errno` of a
    /// change, 0 where it succeeded.
    var data: Int = 0

    struct Filter: RawRepresentable, Hashable, Sendable {
        let rawValue: Int16

        /// `EVFILT_READ`: there is data, or the peer has ended.
        static let read = Filter(rawValue: -1)
        /// `EVFILT_WRITE`: there is space, or nothing can be written any more.
        static let write = Filter(rawValue: -2)
        /// `EVFILT_TIMER`.
        static let timer = Filter(rawValue: -7)
    }

    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt16

        /// `EV_ADD`.
        static let add = Flags(rawValue: 0x0001)
        /// `EV_DELETE`.
        static let delete = Flags(rawValue: 0x0002)
        /// `EV_ONESHOT`: deleted when it has been returned.
        static let once = Flags(rawValue: 0x0010)
        /// `EV_RECEIPT`: the change is answered by an event with ``error``, also where it succeeded.
        static let receipt = Flags(rawValue: 0x0040)
        /// `EV_ERROR`: the event is the answer to a change.
        static let error = Flags(rawValue: 0x4000)
        /// `EV_EOF`.
        static let endOfFile = Flags(rawValue: 0x8000)
    }

    /// `NOTE_USECONDS`: a timer's time is in microseconds.
    private static let microseconds: UInt32 = 0x0000_0002
    /// `NOTE_MACH_CONTINUOUS_TIME`: a timer's time continues while the device sleeps.
    private static let continuousTime: UInt32 = 0x0000_0080

    /// Adds or deletes a filter of a descriptor; answered.
    static func change(_ descriptor: Int32, _ filter: Filter, isAdded: Bool) -> KernelEvent {
        KernelEvent(
            ident: UInt(bitPattern: Int(descriptor)), filter: filter,
            flags: [isAdded ? .add : .delete, .receipt])
    }

    /// Sets the one timer of a poller, which fires once; nil: deletes it.
    static func alarm(after time: TimeSpan?) -> KernelEvent {
        KernelEvent(
            ident: 0, filter: .timer, flags: time == nil ? .delete : [.add, .once],
            filterFlags: microseconds | continuousTime, data: Int(time?.microseconds ?? 0))
    }
}
