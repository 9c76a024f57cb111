import Core

/// The devices that events and actions were about since they were last taken, so that an observer of one
/// device costs nothing while others are busy.
struct TouchedDevices: Sendable {
    private(set) var devices: [Int] = []
    private var isTouched: [Bool]

    init(count: Int) {
        isTouched = [Bool](repeating: false, count: count)
        insertAll()
    }

    /// Ignores a device that does not exist.
    mutating func insert(_ device: Int) {
        guard isTouched.indices.contains(device), !isTouched[device] else { return }
        isTouched[device] = true
        devices.append(device)
    }

    mutating func insertAll() {
        for device in isTouched.indices { insert(device) }
    }

    mutating func take() -> [Int] {
        for device in devices { isTouched[device] = false }
        return devices.takeAll()
    }
}
