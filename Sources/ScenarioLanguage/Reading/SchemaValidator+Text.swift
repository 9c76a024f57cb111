import Core

// Texts: keywords, names, quantities.
extension SchemaValidator {
    func parse(_ text: String, _ span: SourceSpan, as type: FieldType) -> Result<
        CheckedValue.Content, TextFault
    > {
        var scanner = TextScanner(text)
        do throws(TextFault) {
            let content = try parse(&scanner, text, span, as: type)
            if !scanner.isAtEnd {
                throw TextFault(
                    .badQuantity, "something left over in '\(text)'", label: "more than \(type.shown)",
                    at: scanner.position, scanner.bytes.count)
            }
            return .success(content)
        } catch {
            return .failure(error)
        }
    }

    /// Fast path for most texts of most files; nil when ``parse(_:_:as:)`` is needed.
    func plain(_ text: String, _ span: SourceSpan, as type: FieldType) -> CheckedValue.Content? {
        switch type {
        case .text: text.isEmpty ? nil : .text(text)
        case .keyword(let keywords): keywords.contains { TextBytes.areEqual($0, text) } ? .text(text) : nil
        case .name(let kind) where kind != .file:
            names.declaration(of: text, as: kind) != nil && !names.isLater(kind, text, than: span)
                ? Self.content(text, kind) : nil
        case .size: TextFastPath.size(text).map { .bytes($0) }
        case .duration: TextFastPath.duration(text).map { .duration($0) }
        case .route, .target: TextFastPath.route(text).map { .text($0) }
        default: nil
        }
    }

    /// Fast path for a text of one of several types; nil when ``parse(_:_:as:)`` is needed for one of them.
    func plain(_ text: String, _ span: SourceSpan, asOneOf types: [FieldType]) -> CheckedValue.Content? {
        for type in types where type.takesText {
            if let content = plain(text, span, as: type) { return content }
            // For keywords and names, the fast path is complete.
            switch type {
            case .keyword: continue
            case .name(let kind) where kind != .file: continue
            default: return nil
            }
        }
        return nil
    }

    private func parse(
        _ scanner: inout TextScanner, _ text: String, _ span: SourceSpan, as type: FieldType
    ) throws(TextFault) -> CheckedValue.Content {
        switch type {
        case .text:
            scanner.position = scanner.bytes.count
            if text.isEmpty {
                throw TextFault(.outOfRange, "an empty text", label: "say something", at: 0, 0)
            }
            return .text(text)
        case .keyword(let keywords):
            scanner.position = scanner.bytes.count
            if keywords.contains(text) { return .text(text) }
            throw Self.unknownKeyword(text, keywords)
        case .name(let kind): return Self.content(try name(&scanner, kind, span), kind)
        case .duration: return .duration(try scanner.duration())
        case .signedDuration: return .duration(try scanner.signedDuration())
        case .size: return .bytes(try scanner.size())
        case .percent: return .whole(try scanner.percent())
        case .amount: return .amount(try scanner.amount())
        case .bitRate: return .whole(try scanner.bitRate())
        case .byteRate: return .whole(try scanner.byteRate())
        case .route: return .text(try scanner.route())
        case .target: return .text(try scanner.target())
        case .userAction:
            let action = try scanner.userAction()
            scanner.position = scanner.bytes.count
            return .user(action)
        case .fileReference: return .file(try known(try scanner.fileReference()))
        case .damageTarget:
            let thing = try scanner.damageTarget()
            scanner.position = scanner.bytes.count
            switch thing {
            case .content(let reference): _ = try known(reference)
            case .part(let reference): _ = try known(reference, at: DamageTarget.partPrefix.utf8.count)
            case .table(let version):
                let reference = FileReference(version: version, route: "/")
                _ = try known(reference, at: DamageTarget.tablePrefix.utf8.count)
            case .record, .records, .starts, .downloadList, .stray: break
            }
            return .stored(thing)
        case .crashOutcome:
            scanner.position = scanner.bytes.count
            if CrashOutcome(text: text) != nil { return .text(text) }
            throw TextFault(
                .badQuantity, "'\(text)' is nothing that a crash leaves", label: "expected \(type.shown)",
                at: 0,
                scanner.bytes.count, isSpecific: false)
        case .prefixed(let keyword, let type):
            guard scanner.take(keyword) else {
                throw TextFault(
                    .badQuantity, "'\(text)' does not begin with '\(keyword)'",
                    label: "expected \(FieldType.prefixed(keyword, type).shown)",
                    at: 0, scanner.bytes.count, isSpecific: false)
            }
            let rest = SourceSpan(start: span.start + scanner.position, end: span.end)
            return try parse(&scanner, String(text.utf8.dropFirst(scanner.position)) ?? "", rest, as: type)
        case .flag, .yes, .null, .whole, .list, .listing, .bounds, .object, .map, .either, .anything:
            throw TextFault(
                .wrongType, "a text is not allowed here", label: "expected \(type.shown)", at: 0,
                scanner.bytes.count, isSpecific: false)
        }
    }

    private static func content(_ name: String, _ kind: NameKind) -> CheckedValue.Content {
        kind == .mark ? .mark(name) : .text(name)
    }

    private func name(_ scanner: inout TextScanner, _ kind: NameKind, _ span: SourceSpan) throws(TextFault)
        -> String
    {
        let start = scanner.position
        let written = String(decoding: scanner.bytes[start...], as: UTF8.self)
        let name = kind == .file ? try scanner.route() : written
        let end = scanner.bytes.count
        scanner.position = end
        if names.declaration(of: name, as: kind) != nil || (kind == .file && names.filesAreOpen) {
            if names.isLater(kind, name, than: span) {
                throw TextFault(
                    .impossible, "the \(kind.noun) '\(name)' is only named later", label: "not there yet",
                    at: start, end)
            }
            return name
        }
        let label = kind == .device ? "not known" : "not declared"
        var fault = TextFault(
            .unknownName, "no \(kind.noun) is named '\(written)'", label: label, at: start, end,
            isSpecific: false)
        fault.options = names.all(kind)
        fault.help = help(for: written, kind, among: fault.options)
        throw fault
    }

    /// Help for an unknown name; nil when the list of options is enough.
    private func help(for written: String, _ kind: NameKind, among options: [String]) -> String? {
        if let near = Suggestion.nearest(to: written, among: options) { return "did you mean '\(near)'?" }
        let choice = Suggestion.help(for: written, among: options, choice: "one of")
        if let way = kind.declaration(of: written) { return choice.map { "\($0); \(way)" } ?? way }
        return options.isEmpty ? "the file declares no \(kind.noun)" : nil
    }

    /// - Parameter start: offset of the reference in its text.
    private func known(_ reference: FileReference, at start: Int = 0) throws(TextFault) -> FileReference {
        if names.declaration(of: reference.version, as: .version) == nil {
            let all = names.all(.version)
            throw TextFault(
                .unknownName, "no version is named '\(reference.version)'", label: "not declared",
                help: Suggestion.help(for: reference.version, among: all, choice: "declared:"), at: start,
                start + reference.version.utf8.count)
        }
        return reference
    }

    private static func unknownKeyword(_ text: String, _ keywords: [String]) -> TextFault {
        var fault = TextFault(
            .unknownKeyword, "'\(text)' is not a keyword here",
            label: "expected " + FieldType.keyword(keywords).shown,
            at: 0, text.utf8.count, isSpecific: false)
        fault.options = keywords
        return fault
    }
}
