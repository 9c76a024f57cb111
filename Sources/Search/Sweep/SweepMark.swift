import Core
import Runner
import ScenarioLanguage

/// A disturbed world as the process that performs it names it in one line of text, so that another process
/// knows which one was its end.
package struct SweepMark: Hashable, Sendable {
    /// Name of the run, with its device.
    package var run: String
    /// The disturbances, the first one first.
    package var places: [Place]

    package struct Place: Hashable, Sendable {
        /// Name of the disturbance.
        package var disturbance: String
        package var at: Instant
        package var circumstance: Circumstance
    }

    private static let opening = "sweep"

    package init(_ run: String, _ sites: [SweepSite]) {
        self.run = run
        places = sites.map {
            Place(disturbance: $0.disturbance.name, at: $0.at, circumstance: $0.circumstance)
        }
    }

    /// `sweep`, the run, and of each place the disturbance, microseconds and circumstance, separated by tabs.
    package var text: String {
        let places = places.flatMap {
            [$0.disturbance, "\(($0.at - Instant.zero).microseconds)", $0.circumstance.rawValue]
        }
        return ([SweepMark.opening, run] + places).joined(separator: "\t")
    }

    /// - Returns: nil for another text.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count >= 5, parts.count % 3 == 2, parts[0] == SweepMark.opening else { return nil }
        run = parts[1]
        places = []
        for index in stride(from: 2, to: parts.count, by: 3) {
            guard let microseconds = Int64(parts[index + 1]),
                let circumstance = Circumstance(rawValue: parts[index + 2])
            else { return nil }
            places.append(
                Place(
                    disturbance: parts[index], at: .zero + TimeSpan(microseconds: microseconds),
                    circumstance: circumstance))
        }
    }
}

extension SweepRun {
    /// The finding of a world that did not end as a world does.
    /// - Returns: nil if the run of this plan and device has no such world.
    package func finding(
        _ failure: Failure, at mark: SweepMark, of plan: RunPlan, device: Int
    ) -> SweepReport.Finding? {
        let disturbances = SweepDisturbances.valid(in: plan.scenario, profiles: profiles.map(\.name))
        let deviceName = SweepReport(plan: plan, device: device).device
        var plan = plan
        var sites: [SweepSite] = []
        for place in mark.places {
            guard let disturbance = disturbances.first(where: { $0.name == place.disturbance }),
                let base = try? run(plan, device, chosen: []), base.problem == nil
            else { return nil }
            let site = SweepSite(disturbance: disturbance, at: place.at, circumstance: place.circumstance)
            plan.scenario = plan.disturbed(site, in: base.probe.schedule, on: deviceName)
            sites.append(site)
        }
        return SweepReport.Finding(
            failure: failure, cause: SweepReport.Finding.cause(sites), scenario: plan.scenario)
    }
}
