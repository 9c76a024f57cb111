import Core

/// One row of the language: a key, where it may stand, and what it means.
///
/// The next word of the language is a ``FieldCodec`` or a ``CaseCodec`` in the table and a property or a
/// case in the model: this is its row. Checking, suggestions, defaults and documentation follow from the
/// row.
package struct Field: Hashable, Sendable {
    package var key: String
    package var type: FieldType
    /// One sentence for people.
    package var doc: String
    package var isRequired = false
    /// What is read when the key is not there.
    package var fallback: JSONNode.Kind?
    /// What whoever acts on the file does when the key is not there: told to people, never read. A test
    /// where that is decided holds the two together.
    package var assumed: JSONNode.Kind?
    package var role = Role.plain
    /// Keys that may not stand beside it.
    package var excludes: [String] = []
    /// A key that must stand beside it.
    package var needs: String?
    /// Words that say everything; with any other value one of `companions` must stand beside it.
    package var completeKeywords: [String] = []
    package var companions: [String] = []

    package enum Role: Hashable, Sendable {
        /// Stands anywhere in its place.
        case plain
        /// Says what the object is: exactly one of a place's heads.
        case head
        /// Goes with these heads only.
        case with([String])
        /// Goes with all heads but these.
        case without([String])
    }

    package init(_ key: String, _ type: FieldType, _ doc: String) {
        self.key = key
        self.type = type
        self.doc = doc
    }

    var required: Field { changed { $0.isRequired = true } }
    /// Need not stand here, and nothing is read in its place.
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
