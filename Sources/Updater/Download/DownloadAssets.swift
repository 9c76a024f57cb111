import Core

/// The assets of a download: the state of each, its attempts, and sums over all of them.
///
/// **Invariant**: the sums and indices are those of the states at any time. Each change updates them, so that
/// a step of the download costs no more in a version of thousands of files.
struct DownloadAssets: Sendable {
    private(set) var states: [Download.AssetState]
    /// Requests made for each asset in this process: the attempt count, which keys random choices.
    private(set) var attempts: [Int]
    /// When each asset may be tried again (U5).
    private(set) var backoffs: [Backoff]
    /// Highest number of bytes of each asset that were ever here: only bytes beyond it are new.
    private(set) var highestOffsets: [Int]
    /// For each asset the index of the first one that has its content. They share a partial file.
    private let firstsOfContent: [Int32]
    /// Bytes that the partial file of each content has, at the index of its first asset.
    private var partSizes: [Int]
    /// How often each asset was refused for good, or came with other bytes than announced.
    private(set) var refusals: [Int]
    /// Size of each asset in bytes, as the manifest states it.
    private var sizes: [Int?]
    /// Size of each asset in bytes, as the last response announced it; 0: none has.
    private var announcedSizes: [Int]

    /// Number of assets that are available.
    private(set) var availableCount = 0
    /// Number of assets that are complete and being stored.
    private(set) var finishingCount = 0
    /// Indices of the assets that are being received or stored, in no order.
    private(set) var inProgress: [Int] = []
    /// Indices of the assets that failed or wait for a time, in ascending order.
    private(set) var failing: [Int] = []
    /// Bytes of assets of known size that are here, without those of transfers in progress.
    private(set) var bytesDone = 0
    /// Bytes of the available assets as they are stored.
    private(set) var storedBytes = 0
    /// Sum of the sizes; nil if one of them is not known.
    private(set) var totalBytes: Int?
    /// Index of the first asset that is not inspected yet; the count if all are.
    private(set) var firstUnknown = 0
    /// Index of the first asset that is needed and has not failed since bytes of it came last; the count if
    /// there is none.
    private(set) var firstFresh: Int

    /// - Parameter order: that of these assets.
    init(_ assets: [Asset], _ order: AssetsByHash) {
        firstsOfContent = order.firstsOfContent(assets)
        states = Array(repeating: .unknown, count: assets.count)
        attempts = Array(repeating: 0, count: assets.count)
        backoffs = Array(repeating: Backoff(), count: assets.count)
        highestOffsets = Array(repeating: 0, count: assets.count)
        partSizes = Array(repeating: 0, count: assets.count)
        refusals = Array(repeating: 0, count: assets.count)
        sizes = assets.map(\.size)
        announcedSizes = Array(repeating: 0, count: assets.count)
        totalBytes = DownloadAssets.total(sizes)
        firstFresh = assets.count
    }

    var count: Int { states.count }

    private static func total(_ sizes: [Int?]) -> Int? {
        sizes.contains(nil) ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) }
    }

    // MARK: Course of an asset

    mutating func set(_ state: Download.AssetState, at index: Int) {
        bytesDone -= bytesHere(index)
        count(index, -1)
        states[index] = state
        count(index, 1)
        bytesDone += bytesHere(index)
        while firstUnknown < states.count, !states[firstUnknown].isUnknown { firstUnknown += 1 }
        updateFresh(index)
    }

    /// A request for the asset is sent; bytes of it up to this offset are here.
    /// - Returns: the ordinal of the request, from 1.
    mutating func beginTransfer(_ id: TransferID, of index: Int, from offset: Int) -> Int {
        bytesDone -= bytesHere(index)
        attempts[index] += 1
        highestOffsets[index] = max(highestOffsets[index], offset)
        setPart(of: index, offset)
        bytesDone += bytesHere(index)
        set(.active(id), at: index)
        return attempts[index]
    }

    /// Bytes of the asset up to this offset are here, from an earlier process or another download.
    mutating func found(_ index: Int, upTo offset: Int) {
        bytesDone -= bytesHere(index)
        highestOffsets[index] = offset
        setPart(of: index, offset)
        bytesDone += bytesHere(index)
    }

    /// The partial file of the asset is gone, or begins anew.
    mutating func discarded(_ index: Int) { setPart(of: index, 0) }

    private mutating func setPart(of index: Int, _ size: Int) {
        partSizes[Int(firstsOfContent[index])] = size
    }

    /// The asset was refused for good, or came with other bytes than announced.
    mutating func refused(_ index: Int) { refusals[index] += 1 }

    /// A response announces this size of the asset, in bytes.
    mutating func announced(_ index: Int, _ size: UntrustedInteger, limit: Int) {
        announcedSizes[index] = size.clamped(to: 0...limit)
    }

    /// Bytes of the asset have arrived, up to this offset. Those that were here before are not new (U5).
    mutating func received(_ index: Int, upTo offset: Int) {
        setPart(of: index, offset)
        guard offset > highestOffsets[index] else { return }
        found(index, upTo: offset)
        changeBackoff(of: index) { $0.receivedNewBytes() }
    }

    mutating func changeBackoff(of index: Int, _ change: (inout Backoff) -> Void) {
        change(&backoffs[index])
        let position = failing.indices.bisected { failing[$0] < index }
        let isListed = position < failing.count && failing[position] == index
        switch (isListed, backoffs[index].isClear) {
        case (true, true): failing.remove(at: position)
        case (false, false): failing.insert(index, at: position)
        case (true, false), (false, true): break
        }
        updateFresh(index)
    }

    /// Everything may be tried at once.
    mutating func resetBackoffs() {
        for index in failing.reversed() { changeBackoff(of: index) { $0.reset() } }
    }

    /// One attempt of everything that is paused is allowed.
    mutating func allowAttempts() {
        for index in failing.reversed() { changeBackoff(of: index) { $0.allowAttempt() } }
    }

    /// The assets of a newer manifest of the same version.
    mutating func adopt(_ assets: [Asset]) {
        sizes = assets.map(\.size)
        totalBytes = DownloadAssets.total(sizes)
        bytesDone = states.indices.reduce(0) { $0 + bytesHere($1) }
    }

    /// Whether the asset is to be requested, and has failed since bytes of it came last.
    func isNeeded(_ index: Int, hasFailed: Bool) -> Bool {
        states[index].isNeeded && (backoffs[index].attempts > 0) == hasFailed
    }

    // MARK: Sums

    /// Bytes that are still to be received, as far as sizes are stated: without what partial files have, and
    /// once for content that several assets share (U11, U15). A size that the manifest does not state counts
    /// as a response has announced it, else by its hint, or as zero.
    /// - Parameter assets: those of the manifest.
    func missingBytes(_ assets: [Asset]) -> UntrustedInteger {
        var missing = [Int](repeating: 0, count: assets.count)
        for index in assets.indices where !states[index].isAvailable {
            let content = Int(firstsOfContent[index])
            let announced = announcedSizes[index] > 0 ? announcedSizes[index] : nil
            let size = assets[index].size ?? announced ?? assets[index].sizeHint ?? 0
            missing[content] = max(missing[content], size)
        }
        return RequiredSpace.sum(missing.indices.map { max(missing[$0] - partSizes[$0], 0) })
    }

    private func bytesHere(_ index: Int) -> Int {
        guard let size = sizes[index] else { return 0 }
        switch states[index] {
        case .available, .finishing: return size
        case .needed where attempts[index] == 0: return highestOffsets[index]
        case .unknown, .needed, .active: return 0
        }
    }

    private mutating func count(_ index: Int, _ change: Int) {
        switch states[index] {
        case .unknown, .needed: return
        case .available(let stored):
            availableCount += change
            storedBytes += change * stored.size
            return
        case .finishing: finishingCount += change
        case .active: break
        }
        if change > 0 {
            inProgress.append(index)
        } else {
            inProgress.removeAll { $0 == index }
        }
    }

    private mutating func updateFresh(_ index: Int) {
        if isNeeded(index, hasFailed: false) {
            firstFresh = min(firstFresh, index)
        } else if index == firstFresh {
            while firstFresh < states.count, !isNeeded(firstFresh, hasFailed: false) { firstFresh += 1 }
        }
    }
}
