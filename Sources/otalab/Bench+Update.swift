import Backend
import Core
import Runner

// What an update costs a device of each profile, and the page on it, in virtual time.
extension Bench {
    /// One profile with its measurements, in the order of ``UpdateMeasurement/Content``.
    struct MeasuredProfile {
        var profile: DeviceProfile
        var updates: [(content: UpdateMeasurement.Content, times: UpdateMeasurement)]
    }

    /// Bits a second below which an update takes hours: such a profile is for the limits of rule U5.
    private static let leastBandwidth = 64_000

    /// Measures all profiles next to the scenarios of the working directory, else `plain` alone; none whose
    /// line is too slow to be used.
    func updates() throws -> [MeasuredProfile] {
        let all = ProfileSet(folders: ProfileFolder.find([], [])).profiles
        return try all.filter { $0.link.bandwidth >= Bench.leastBandwidth }.map { profile in
            MeasuredProfile(
                profile: profile,
                updates: try UpdateMeasurement.Content.allCases.map {
                    ($0, try UpdateMeasurement($0, on: profile))
                })
        }
    }

    func figures(_ measured: [MeasuredProfile]) -> [Figure] {
        measured.flatMap { device in
            device.updates.flatMap { update in
                let name = "\(device.profile.name), \(update.content.rawValue)"
                let times = update.times
                return [
                    figure("\(name): check to pending", times.toPending),
                    figure("\(name): check to pending, page reloads", times.toPendingWithReloads),
                ] + figures("\(name): reload, idle", times.reloadIdle)
                    + figures("\(name): reload, during the update", times.reloadDuringUpdate)
                    + figures("\(name): file, idle", times.fileIdle)
                    + figures("\(name): file, during the update", times.fileDuringUpdate)
            }
        }
    }

    private func figures(_ name: String, _ times: AnswerTimes) -> [Figure] {
        [figure(name + ", median", times.median), figure(name + ", worst", times.worst)]
    }

    private func figure(_ name: String, _ span: TimeSpan) -> Figure {
        Figure(
            name: name, value: Double(span.microseconds) / 1_000, unit: "ms", floor: nil,
            how: "virtual time of the profile's disk and network")
    }

    func updateTable(_ measured: [MeasuredProfile]) -> String {
        var text = "\nUpdates by device profile, virtual milliseconds: the same on every machine\n\n"
        text += columns("", ["to pending", "the same", "reload", "", "file", "", "limits of", ""])
        text += columns(
            "", ["page idle", "reloading", "idle", "in update", "idle", "in update", "reload", "file"])
        for device in measured {
            for update in device.updates {
                let times = update.times
                let limit = { (idle: AnswerTimes) in
                    milliseconds(UpdateMeasurement.limit(idle: idle, on: device.profile))
                }
                text += columns(
                    "\(device.profile.name), \(update.content.rawValue)",
                    [
                        milliseconds(times.toPending), milliseconds(times.toPendingWithReloads),
                        pair(times.reloadIdle), pair(times.reloadDuringUpdate), pair(times.fileIdle),
                        pair(times.fileDuringUpdate), limit(times.reloadIdle), limit(times.fileIdle),
                    ])
            }
        }
        text += """

            Pairs are median / worst. A limit is 1.2 × the worst idle time and one background step (rule S9). The
            page reloads 5 ms after each load; a reload is two requests, because the first one is redirected.
            Assumptions, by profile (each with its source in the profile's file):

            """
        for device in measured { text += assumptions(device.profile) }
        return text + hashing(measured)
    }

    /// What the hashes of the changed files would add to an update, for which the world takes no time (M17).
    private func hashing(_ measured: [MeasuredProfile]) -> String {
        let rate = hashRate()
        var text =
            "\nHashing, which these times leave out: SHA-256 at \(Int(rate / 1e6)) MB/s here. Share of the time "
            + "to pending at that rate,\nand on a processor ten times slower:\n\n"
        for device in measured {
            for update in device.updates {
                let time = Double(update.content.bytes) / rate
                let whole = Double(update.times.toPending.microseconds) / 1e6
                text += columns(
                    "\(device.profile.name), \(update.content.rawValue)",
                    [percent(time, of: whole), percent(time * 10, of: whole)])
            }
        }
        return text
    }

    private func percent(_ part: Double, of whole: Double) -> String {
        let tenths = Int((part / max(part + whole, 1e-9) * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }

    private func assumptions(_ profile: DeviceProfile) -> String {
        let cost = profile.diskCost
        let step = milliseconds(UpdateMeasurement.backgroundStep(on: profile))
        return
            "  \(profile.name): disk call \(cost.perCall.microseconds) µs, sync \(milliseconds(cost.sync)) ms, "
            + "of a folder \(milliseconds(cost.syncDirectory)) ms, each further one of a batch "
            + "\(cost.batchShare) %, reads \(cost.readRate / 1_000_000) MB/s, "
            + "writes \(cost.writeRate / 1_000_000) MB/s; network \(profile.link.bandwidth / 1_000_000) Mbit/s, "
            + "latency \(milliseconds(profile.link.latency)) ms; background step \(step) ms\n"
    }

    private func columns(_ name: String, _ cells: [String]) -> String {
        var text = name + String(repeating: " ", count: max(1, 24 - name.count))
        for (cell, width) in zip(cells, [11, 11, 15, 17, 15, 17, 10, 8]) {
            text += String(repeating: " ", count: max(1, width - cell.count)) + cell
        }
        return text + "\n"
    }

    private func pair(_ times: AnswerTimes) -> String {
        milliseconds(times.median) + " / " + milliseconds(times.worst)
    }

    /// Milliseconds with two decimals below 100: `2.75`.
    private func milliseconds(_ span: TimeSpan) -> String {
        let micro = span.microseconds
        guard micro < 100_000 else { return "\((micro + 500) / 1_000)" }
        let hundredths = (micro + 5) / 10 % 100
        return "\((micro + 5) / 1_000)." + (hundredths < 10 ? "0\(hundredths)" : "\(hundredths)")
    }
}
