import Core
import Testing

@testable import Updater

@Suite("Assets of a download")
struct DownloadAssetsTests {
    private static func assets(_ count: Int) -> [Asset] {
        (0..<count).map { index in
            let digest = Digest256(UInt64(index / 2), 1, 2, 3)
            return Asset(
                route: "/\(index)", size: index % 7 == 0 ? nil : index * 10,
                hash: index % 5 == 0 ? .none : .sha256(digest), url: "\(index)")
        }
    }

    @Test("sums and indices are those of the states after every change")
    func sums() {
        let assets = DownloadAssetsTests.assets(30)
        for seed in 0..<50 as Range<UInt64> {
            var state = seed
            func draw(_ count: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(state >> 33) % count
            }
            var list = DownloadAssets(assets, AssetsByHash(assets))
            for index in assets.indices { list.set(.needed, at: index) }
            for step in 0..<200 {
                let index = draw(assets.count)
                switch draw(8) {
                case 0: _ = list.beginTransfer(TransferID(UInt32(step)), of: index, from: draw(50))
                case 1: list.received(index, upTo: draw(300))
                case 2: list.set(.finishing, at: index)
                case 3:
                    let stored = StoredVersion.StoredAsset(location: .absent, size: draw(100))
                    list.set(.available(stored), at: index)
                case 4: list.set(.needed, at: index)
                case 5: list.changeBackoff(of: index) { $0.failed(at: .zero, jitter: 0) }
                case 6: list.changeBackoff(of: index) { $0.reset() }
                default: if draw(20) == 0 { list.resetBackoffs() } else { list.found(index, upTo: draw(9)) }
                }
                check(list, assets)
            }
        }
    }

    private func check(_ list: DownloadAssets, _ assets: [Asset]) {
        var (available, finishing, bytes, stored) = (0, 0, 0, 0)
        var inProgress: [Int] = []
        for index in assets.indices {
            let size = assets[index].size
            switch list.states[index] {
            case .unknown: break
            case .available(let asset):
                available += 1
                bytes += size ?? 0
                stored += asset.size
            case .finishing:
                finishing += 1
                bytes += size ?? 0
                inProgress.append(index)
            case .active: inProgress.append(index)
            case .needed: if size != nil, list.attempts[index] == 0 { bytes += list.highestOffsets[index] }
            }
        }
        #expect(list.availableCount == available)
        #expect(list.finishingCount == finishing)
        #expect(list.bytesDone == bytes)
        #expect(list.storedBytes == stored)
        #expect(list.inProgress.sorted() == inProgress)
        #expect(list.failing == assets.indices.filter { !list.backoffs[$0].isClear })
        let fresh = assets.indices.first { list.isNeeded($0, hasFailed: false) }
        #expect(list.firstFresh == fresh ?? assets.count)
    }

    @Test("assets of equal content are found by their hash, in ascending order")
    func byHash() {
        let assets = DownloadAssetsTests.assets(40)
        let order = AssetsByHash(assets)
        for asset in assets {
            let equal = asset.hash == .none ? [] : assets.indices.filter { assets[$0].hash == asset.hash }
            #expect(order.indices(of: asset.hash, in: assets) == equal)
        }
        #expect(order.indices(of: .sha256(Digest256(1, 9, 9, 9)), in: assets) == [])
    }
}
