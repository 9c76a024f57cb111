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
    let rows: [Row]
    /// Those that are asked for where they are not there: required, or with a default.
    let owed: [Row]
    let hasHeads: Bool
    /// The rows in the order of their keys' bytes, and how each key begins.
    private let sorted: [Row]
    private let heads: [UInt64]

    init(_ fields: [Field]) {
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

extension RowIndex {
    private static let scenario = RowIndex(FieldTable.scenario)
    private static let used = RowIndex(FieldTable.used)
    private static let app = RowIndex(FieldTable.app)
    private static let version = RowIndex(FieldTable.version)
    private static let file = RowIndex(FieldTable.file)
    private static let startup = RowIndex(FieldTable.startup)
    private static let behaviour = RowIndex(FieldTable.behaviour)
    private static let step = RowIndex(FieldTable.step)
    private static let condition = RowIndex(FieldTable.condition)
    private static let fault = RowIndex(FieldTable.fault)
    private static let answer = RowIndex(FieldTable.answer)
    private static let expectation = RowIndex(FieldTable.expectation)
    private static let requests = RowIndex(FieldTable.requests)
    private static let answers = RowIndex(FieldTable.answers)
    private static let startCounts = RowIndex(FieldTable.startCounts)
    private static let texts = RowIndex(FieldTable.listing(.text))
    private static let versions = RowIndex(FieldTable.listing(.name(.version)))
    private static let counts = RowIndex(FieldTable.bounds(.count))
    private static let sizes = RowIndex(FieldTable.bounds(.size))

    /// Kept for the places that files are full of, made for the others.
    static func of(_ place: Place) -> RowIndex {
        switch place {
        case .scenario: scenario
        case .used: used
        case .app: app
        case .version: version
        case .file: file
        case .startup: startup
        case .behaviour: behaviour
        case .step: step
        case .condition: condition
        case .fault: fault
        case .answer: answer
        case .expectation: expectation
        case .requests: requests
        case .answers: answers
        case .startCounts: startCounts
        case .listing(.text): texts
        case .listing(.name(.version)): versions
        case .bounds(.count): counts
        case .bounds(.size): sizes
        default: RowIndex(place.fields)
        }
    }
}
