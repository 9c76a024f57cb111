import Core

/// A field of an object: a key, the type of its value, and its documentation.
///
/// To add a key to the language, add a ``FieldCodec`` or a ``CaseCodec`` to the table and a property or a
/// case to the model. Validation, suggestions, defaults and documentation follow from the field.
package struct Field: Hashable, Sendable {
    package var key: String
    package var type: FieldType
    /// Documentation: one sentence.
    package var doc: String
    package var isRequired = false
    /// Default that is read when the key is missing.
    package var fallback: JSONNode.Kind?
    /// Default that another module applies when the key is missing: documented here, but not read. A test
    /// there compares the two.
    package var assumed: JSONNode.Kind?
    package var role = Role.plain
    /// Keys that the object must not have in addition.
    package var excludes: [String] = []
    /// Key that the object must have in addition.
    package var needs: String?
    /// Keywords that are complete; any other value needs one of ``companions``.
    package var completeKeywords: [String] = []
    /// Keys of which the object must have one, unless the value is one of ``completeKeywords``.
    package var companions: [String] = []

    /// With which other keys a key is allowed.
    package enum Role: Hashable, Sendable {
        /// Allowed in every object of its schema.
        case plain
        /// Says what the object is: an object has at most one head.
        case head
        /// Allowed with these heads only.
        case with([String])
        /// Allowed with all heads except these.
        case without([String])
    }

    package init(_ key: String, _ type: FieldType, _ doc: String) {
        self.key = key
        self.type = type
        self.doc = doc
    }

    var required: Field { changed { $0.isRequired = true } }
    /// Neither required nor with a default.
    var optional: Field {
        changed {
            $0.isRequired = false
            $0.fallback = nil
        }
    }
    var head: Field { changed { $0.role = .head } }
    func with(_ heads: [String]) -> Field { changed { $0.role = .with(heads) } }
    func without(_ heads: [String]) -> Field { changed { $0.role = .without(heads) } }
    func excluding(_ keys: [String]) -> Field { changed { $0.excludes = keys } }
    func needing(_ key: String) -> Field { changed { $0.needs = key } }
    func needing(oneOf keys: [String], unless keywords: [String]) -> Field {
        changed {
            $0.companions = keys
            $0.completeKeywords = keywords
        }
    }
    func assumed(_ text: String) -> Field { changed { $0.assumed = .string(text) } }
    func assumed(_ flag: Bool) -> Field { changed { $0.assumed = .bool(flag) } }
    func assumed(_ number: Int64) -> Field {
        changed { $0.assumed = .number(JSONNumber(integer: number, text: String(number))) }
    }
    func fallback(_ text: String) -> Field { changed { $0.fallback = .string(text) } }

    private func changed(_ change: (inout Field) -> Void) -> Field {
        var field = self
        change(&field)
        return field
    }
}
