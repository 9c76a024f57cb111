import Core

/// A place's rows, made ready once to be looked up by key: a reader asks for them at every object.
final class RowIndex: Sendable {
    /// A reference, since a row is large and is looked at more often than it is kept.
    final class Row: Sendable {
        let field: Field
        let isHead: Bool
        /// Nothing to be asked of its company.
        let isFree: Bool

        init(_ field: Field) {
            self.field = field
            isHead = field.role == .head
            isFree =
                field.excludes.isEmpty && field.needs == nil && field.companions.isEmpty
                && (field.role == .plain || field.role == .head)
        }
    }

    /// In the order of the table.
    let fields: [Field]
    let rows: [Row]
    /// Those that are asked for where they are not there: required, or with a default.
    let owed: [Row]
    let hasHeads: Bool
    /// The rows in the order of their keys' bytes, and how each key begins.
    private let sorted: [Row]
    private let heads: [UInt64]

    init(_ fields: [Field]) {
        self.fields = fields
        rows = fields.map { Row($0) }
        owed = rows.filter { $0.field.isRequired || $0.field.fallback != nil }
        hasHeads = rows.contains(where: \.isHead)
        sorted = rows.sorted { TextBytes.precedes($0.field.key, $1.field.key) }
        heads = sorted.map { TextBytes.head($0.field.key) }
    }

    func row(_ key: String) -> Row? {
        let head = TextBytes.head(key)
        var place = heads.indices.bisected { heads[$0] < head }
        while place < heads.count, heads[place] == head {
            if TextBytes.areEqual(sorted[place].field.key, key) { return sorted[place] }
            place += 1
        }
        return nil
    }
}

extension ObjectSchema {
    /// Kept for all places but those that differ by a type; of these for the ones that files are full of.
    var rows: RowIndex {
        switch self {
        case .scenario: FieldTable.scenario.rows
        case .used: KeptRows.used
        case .variant: KeptRows.variant
        case .limits: FieldTable.limits.rows
        case .app: FieldTable.app.rows
        case .build: FieldTable.build.rows
        case .settings: FieldTable.settings.rows
        case .origin: FieldTable.origin.rows
        case .version: FieldTable.version.rows
        case .file: FieldTable.file.rows
        case .startup: FieldTable.startup.rows
        case .behaviour: FieldTable.behaviour.rows
        case .step: FieldTable.step.rows
        case .condition: FieldTable.condition.rows
        case .fault: FieldTable.fault.rows
        case .answer: FieldTable.answer.rows
        case .disk: FieldTable.disk.rows
        case .damage: FieldTable.damage.rows
        case .crash: FieldTable.crash.rows
        case .audience: FieldTable.audience.rows
        case .expectation: FieldTable.expectation.rows
        case .startCounts: FieldTable.startCounts.rows
        case .blame: FieldTable.blame.rows
        case .times: FieldTable.times.rows
        case .fetched: FieldTable.fetched.rows
        case .requests: FieldTable.requests.rows
        case .answers: FieldTable.answers.rows
        case .messages: FieldTable.messages.rows
        case .progress: FieldTable.progress.rows
        case .profile: FieldTable.profile.rows
        case .listing(.text): KeptRows.texts
        case .listing(.name(.version)): KeptRows.versions
        case .bounds(.count): KeptRows.counts
        case .bounds(.size): KeptRows.sizes
        case .listing(let type): RowIndex(FieldTable.listing(type))
        case .bounds(let type): RowIndex(FieldTable.bounds(type))
        case .fact(let type): RowIndex(FieldTable.fact(type))
        }
    }
}

private enum KeptRows {
    static let used = RowIndex(FieldTable.used)
    static let variant = RowIndex(FieldTable.variant)
    static let texts = RowIndex(FieldTable.listing(.text))
    static let versions = RowIndex(FieldTable.listing(.name(.version)))
    static let counts = RowIndex(FieldTable.bounds(.count))
    static let sizes = RowIndex(FieldTable.bounds(.size))
}
