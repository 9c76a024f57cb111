import Core

/// The fields of an object schema, indexed by key. Built once, because the validator needs them for every
/// object.
final class FieldIndex: Sendable {
    /// A field; a class, because a field is large and is read more often than stored.
    final class IndexedField: Sendable {
        let field: Field
        let isHead: Bool
        /// Whether the field is allowed with any other keys.
        let isFree: Bool

        init(_ field: Field) {
            self.field = field
            isHead = field.role == .head
            isFree =
                field.excludes.isEmpty && field.needs == nil && field.companions.isEmpty
                && (field.role == .plain || field.role == .head)
        }
    }

    /// Fields in the order of the table.
    let fields: [Field]
    let indexed: [IndexedField]
    /// Fields that are required or have a default.
    let requiredOrDefault: [IndexedField]
    let hasHeads: Bool
    private let positions: KeyIndex

    init(_ fields: [Field]) {
        self.fields = fields
        indexed = fields.map { IndexedField($0) }
        requiredOrDefault = indexed.filter { $0.field.isRequired || $0.field.fallback != nil }
        hasHeads = indexed.contains(where: \.isHead)
        positions = KeyIndex(fields.indices.map { (fields[$0].key, $0) })
    }

    func field(_ key: String) -> IndexedField? { positions.position(of: key).map { indexed[$0] } }
}

extension ObjectSchema {
    /// The fields by key. Indexes are cached, except for schemas with a rare type parameter.
    var fieldIndex: FieldIndex {
        switch self {
        case .scenario: FieldTable.scenario.fieldIndex
        case .used: CachedFieldIndexes.used
        case .variant: CachedFieldIndexes.variant
        case .limits: FieldTable.limits.fieldIndex
        case .app: FieldTable.app.fieldIndex
        case .build: FieldTable.build.fieldIndex
        case .key: FieldTable.key.fieldIndex
        case .settings: FieldTable.settings.fieldIndex
        case .origin: FieldTable.origin.fieldIndex
        case .version: FieldTable.version.fieldIndex
        case .file: FieldTable.file.fieldIndex
        case .startup: FieldTable.startup.fieldIndex
        case .behaviour: FieldTable.behaviour.fieldIndex
        case .step: FieldTable.step.fieldIndex
        case .gap: FieldTable.gap.fieldIndex
        case .condition: FieldTable.condition.fieldIndex
        case .fault: FieldTable.fault.fieldIndex
        case .answer: FieldTable.answer.fieldIndex
        case .disk: FieldTable.disk.fieldIndex
        case .damage: FieldTable.damage.fieldIndex
        case .crash: FieldTable.crash.fieldIndex
        case .request: FieldTable.request.fieldIndex
        case .client: FieldTable.client.fieldIndex
        case .native: FieldTable.native.fieldIndex
        case .audience: FieldTable.audience.fieldIndex
        case .expectation: FieldTable.expectation.fieldIndex
        case .startCounts: FieldTable.startCounts.fieldIndex
        case .blame: FieldTable.blame.fieldIndex
        case .times: FieldTable.times.fieldIndex
        case .fetched: FieldTable.fetched.fieldIndex
        case .requests: FieldTable.requests.fieldIndex
        case .answers: FieldTable.answers.fieldIndex
        case .forwarded: FieldTable.forwarded.fieldIndex
        case .messages: FieldTable.messages.fieldIndex
        case .progress: FieldTable.progress.fieldIndex
        case .profile: FieldTable.profile.fieldIndex
        case .deviceChanges: FieldTable.deviceChanges.fieldIndex
        case .listing(.text): CachedFieldIndexes.texts
        case .listing(.name(.version)): CachedFieldIndexes.versions
        case .bounds(.count): CachedFieldIndexes.counts
        case .bounds(.size): CachedFieldIndexes.sizes
        case .listing(let type): FieldIndex(FieldTable.listing(type))
        case .bounds(let type): FieldIndex(FieldTable.bounds(type))
        case .fact(let type): FieldIndex(FieldTable.fact(type))
        }
    }
}

private enum CachedFieldIndexes {
    static let used = FieldIndex(FieldTable.used)
    static let variant = FieldIndex(FieldTable.variant)
    static let texts = FieldIndex(FieldTable.listing(.text))
    static let versions = FieldIndex(FieldTable.listing(.name(.version)))
    static let counts = FieldIndex(FieldTable.bounds(.count))
    static let sizes = FieldIndex(FieldTable.bounds(.size))
}
