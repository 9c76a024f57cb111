import Foundation
import ScenarioLanguage
import Synchronization

/// The runs of a set of files, each name once, because a report could not distinguish two of one name.
///
/// It names the runs and has no scenario: the scenarios of thousands of files need more memory than reading
/// each file once more, when its turn comes, needs time.
struct SuiteSelection {
    private(set) var runs: [SelectedRun] = []
    /// Files that the scenarios include, each once. They are part of the digest of the scenario set.
    private(set) var included: [SourceFile] = []

    init(_ files: [ScenarioFile], _ options: ScenarioSuite.Options) {
        for result in options.profiles.results { add(.result(result), nil) }
        var owners: [String: Int] = [:]
        var includedPaths: Set<String> = []
        for first in stride(from: 0, to: files.count, by: SuiteSelection.filesAtOnce) {
            let batch = files[first..<min(first + SuiteSelection.filesAtOnce, files.count)]
            for (index, slots) in zip(batch.indices, SuiteSelection.read(batch, options)) {
                for slot in slots {
                    if let owner = owners[slot.name] {
                        if files[owner].path == files[index].path { continue }
                        let result = SuiteSelection.duplicate(slot.name, files[index], files[owner])
                        add(.result(result), nil)
                    } else {
                        owners[slot.name] = index
                        add(slot, index)
                        includeFiles(of: slot, &includedPaths)
                    }
                }
            }
        }
    }

    /// Files whose scenarios are in memory at the same time.
    private static let filesAtOnce = 64

    /// Reads files on all cores, because no run begins before all are read.
    private static func read(
        _ files: ArraySlice<ScenarioFile>, _ options: ScenarioSuite.Options
    ) -> [[ScenarioSuite.Slot]] {
        let read = Mutex([[ScenarioSuite.Slot]](repeating: [], count: files.count))
        DispatchQueue.concurrentPerform(iterations: files.count) { index in
            let slots = ScenarioSuite.read(files[files.startIndex + index], options, isPreparing: false)
            read.withLock { $0[index] = slots }
        }
        return read.withLock { $0 }
    }

    private mutating func add(_ slot: ScenarioSuite.Slot, _ file: Int?) {
        let notRun = NotRun(slot.unrun, selectionIndex: runs.count)
        switch slot {
        case .plan: runs.append(SelectedRun(notRun: notRun, file: file ?? 0, result: nil))
        case .result(let result):
            runs.append(SelectedRun(notRun: notRun, file: 0, result: ScenarioSuite.KeptResult(result)))
        }
    }

    private mutating func includeFiles(of slot: ScenarioSuite.Slot, _ paths: inout Set<String>) {
        guard case .plan(let plan, _, _) = slot else { return }
        for part in plan.scenario.source.included where paths.insert(part.file.path).inserted {
            included.append(part.file)
        }
    }

    private static func duplicate(
        _ name: String, _ file: ScenarioFile, _ owner: ScenarioFile
    ) -> ScenarioResult {
        let again = DiagnosticResult(
            code: DiagnosticCode.duplicateName.rawValue, isError: true,
            message: "the scenario '\(name)' is also in \(owner.path)", label: "",
            location: FileLocation(file: file.path, line: 1, column: 1, length: 1, text: ""),
            help: "give one of them another id")
        return ScenarioSuite.invalid(file, [again])
    }
}

/// A selected run: what a report shows if it is not performed, and where its scenario is.
struct SelectedRun: Sendable {
    let notRun: NotRun
    /// Index of the file.
    let file: Int
    /// Result that needs no run.
    let result: ScenarioSuite.KeptResult?
}

/// Reads scenarios when their turn comes. The runs of the last files are kept, because the runs of one file
/// follow each other.
final class SlotReader: @unchecked Sendable {
    private let files: [ScenarioFile]
    private let options: ScenarioSuite.Options
    private let lock = NSLock()
    /// The last files, the newest first.
    private var last: [(file: Int, slots: [ScenarioSuite.Slot])] = []

    private static let mostFiles = 4

    init(_ files: [ScenarioFile], _ options: ScenarioSuite.Options) {
        self.files = files
        self.options = options
    }

    func slot(of run: SelectedRun) -> ScenarioSuite.Slot {
        if let known = run.result { return .result(known.result) }
        let file = files[run.file]
        if let slot = slots(of: run.file).first(where: { $0.name == run.notRun.name }) { return slot }
        let why = "a file that it includes was changed during the run"
        return .result(ScenarioSuite.invalid(file, [.unreadable(file.path, why)]))
    }

    private func slots(of file: Int) -> [ScenarioSuite.Slot] {
        if let known = lock.withLock({ last.first { $0.file == file }?.slots }) { return known }
        let slots = ScenarioSuite.read(files[file], options, isPreparing: true)
        lock.withLock {
            last.removeAll { $0.file == file }
            last.insert((file, slots), at: 0)
            if last.count > SlotReader.mostFiles { last.removeLast() }
        }
        return slots
    }
}
