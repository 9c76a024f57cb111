import Core
import HTTP1

/// What the head of an answer to a request for a file means: every odd one has its row here (RFC 9110 §14,
/// §15; edge cases NET-05 to NET-31). Decides only; what follows is done by ``Updater``.
enum FileAnswer: Hashable, Sendable {
    /// From the first byte, whatever was asked for.
    case whole
    /// From where the partial file ends.
    case goesOn
    /// A row without a hash is what the stored version has under this URL.
    case unchanged
    /// 416: what is here is all there is.
    case complete
    /// An optional row that the origin does not have (U12).
    case missing
    case elsewhere
    case refused(Refusal)

    struct Refusal: Hashable, Sendable {
        var cause: LogCause
        var detail: String
        var keepsPartial = true
        /// The manifest may be of yesterday, or damaged: it is asked for before the next try.
        var asksManifest = false
        /// Caches on the way have something else than the origin.
        var bypassesCache = false
    }

    init(status: Int, _ fields: HeaderFields, _ transfer: Transfer, _ row: Row, largest: Int) {
        switch status {
        case 200: self = FileAnswer.wholeBody(fields, row, largest)
        case 206: self = FileAnswer.part(fields, transfer, row, largest)
        case 304 where transfer.stored != nil: self = .unchanged
        case 301, 302, 303, 307, 308: self = .elsewhere
        case 416: self = FileAnswer.unsatisfied(fields, transfer, row)
        case 404 where row.isOptional, 410 where row.isOptional: self = .missing
        default:
            // A permanent no speaks against the manifest, or against a URL in it that has run out.
            self = .refused(
                Refusal(
                    cause: .statusRefused, detail: "route=\(row.route) status=\(status)",
                    asksManifest: !StatusCode(status).isTransient))
        }
    }

    private static func wholeBody(_ fields: HeaderFields, _ row: Row, _ largest: Int) -> FileAnswer {
        if let refusal = coded(fields, row) { return .refused(refusal) }
        guard let announced = fields.contentLength else { return .whole }
        if let size = row.size, size != announced { return .refused(length(announced, size, row)) }
        return announced > largest ? .refused(tooLarge(announced, row, largest)) : .whole
    }

    /// A part that would end behind the file, or whose file is over the limit (U10, U11). What is announced
    /// is any number up to the largest, so nothing is added to it before it is known to be below that.
    private static func tooLong(
        _ fields: HeaderFields, _ range: (first: Int, total: Int?), _ row: Row, _ largest: Int
    ) -> Refusal? {
        if row.size == nil, let total = range.total, total > largest { return tooLarge(total, row, largest) }
        guard let announced = fields.contentLength else { return nil }
        let (end, isOver) = range.first.addingReportingOverflow(announced)
        if let size = row.size { return isOver || end > size ? length(isOver ? .max : end, size, row) : nil }
        return isOver || end > largest ? tooLarge(isOver ? .max : end, row, largest) : nil
    }

    private static func tooLarge(_ announced: Int, _ row: Row, _ largest: Int) -> Refusal {
        Refusal(
            cause: .fileTooLarge, detail: "route=\(row.route) announced=\(announced) limit=\(largest)",
            keepsPartial: false, asksManifest: true)
    }

    private static func part(
        _ fields: HeaderFields, _ transfer: Transfer, _ row: Row, _ largest: Int
    ) -> FileAnswer {
        if let refusal = coded(fields, row) { return .refused(refusal) }
        guard let range = fields.range, transfer.resumedAt > 0, range.first == transfer.resumedAt else {
            let told = fields["content-range"] ?? "none"
            return .refused(
                Refusal(
                    cause: .rangeRefused,
                    detail: "route=\(row.route) asked from \(transfer.resumedAt), got \(told.prefix(60))",
                    keepsPartial: false))
        }
        if let size = row.size, let total = range.total, total != size {
            return .refused(length(total, size, row))
        }
        if let refusal = tooLong(fields, range, row, largest) { return .refused(refusal) }
        // A hash guards the join; without one nothing but the same strong tag does.
        let isOther = fields.strongTag.map { $0 != transfer.tag } ?? (row.hash == .none)
        if isOther, transfer.tag != nil || row.hash == .none {
            return .refused(
                Refusal(
                    cause: .contentMismatch, detail: "route=\(row.route) a range of another entity",
                    keepsPartial: false, asksManifest: true, bypassesCache: true))
        }
        return .goesOn
    }

    private static func unsatisfied(_ fields: HeaderFields, _ transfer: Transfer, _ row: Row) -> FileAnswer {
        let whole = row.size ?? fields.unsatisfiedTotal
        if transfer.resumedAt > 0, transfer.resumedAt == whole { return .complete }
        return .refused(
            Refusal(
                cause: .rangeRefused, detail: "route=\(row.route) nothing from \(transfer.resumedAt)",
                keepsPartial: false))
    }

    /// The hash is over plain bytes, identity was asked for, and nothing here can decode.
    private static func coded(_ fields: HeaderFields, _ row: Row) -> Refusal? {
        guard let coding = fields.coding else { return nil }
        return Refusal(
            cause: .codingRefused, detail: "route=\(row.route) coding=\(coding.prefix(40))",
            bypassesCache: true)
    }

    private static func length(_ announced: Int, _ wanted: Int, _ row: Row) -> Refusal {
        Refusal(
            cause: .lengthMismatch, detail: "route=\(row.route) announced=\(announced) wanted=\(wanted)",
            keepsPartial: false, asksManifest: true, bypassesCache: true)
    }
}
