import Core

/// The number of a path's last component, a path, or a file on one disk; meaningless on another disk.
typealias NameNumber = Int32
typealias PathNumber = Int32
typealias InodeNumber = Int32

/// Paths and their components as small integers. A disk asks for the text of a path once per call and
/// compares integers from there on. Grows only; shared by all forks; no part of a disk's state.
///
/// Texts are told apart by their UTF-8 bytes, as a POSIX file system does: two spellings of "é" are
/// two names, though Swift calls the strings equal.
struct NameTable: Sendable {
    private var names = InternedTexts()
    private var paths = InternedTexts()
    private var places: [PathPlace] = []

    static let root: PathNumber = 0
    private static let longestName = 255

    init() {
        _ = paths.number(of: "")
        places.append(PathPlace(parent: NameTable.root, name: names.number(of: ""), flaw: nil))
    }

    func place(_ path: PathNumber) -> PathPlace { places[Int(path)] }

    func path(_ path: PathNumber) -> String { paths.text(path) }

    func name(_ name: NameNumber) -> String { names.text(name) }

    var nameCount: Int { names.count }

    /// Names have the same numbers in both, for they are the same array.
    func sharesNames(with other: NameTable) -> Bool { names.isShared(with: other.names) }

    func known(path text: String) -> PathNumber? { paths.known(text) }

    func known(name text: String) -> NameNumber? { names.known(text) }

    /// The number of a path in the form that ``DiskPath`` describes, and of every directory above it.
    mutating func number(of text: String) -> PathNumber {
        if let known = paths.known(text) { return known }
        let utf8 = text.utf8
        var parent = NameTable.root
        var component = text
        if let name = TextBytes.afterLast(UInt8(ascii: "/"), in: text) {
            parent = number(of: String(text[..<utf8.index(before: name)]))
            component = String(text[name...])
        }
        let startsWithSlash = utf8.first == UInt8(ascii: "/")
        let path = paths.number(of: text)
        let inherited = places[Int(parent)].flaw
        let own = startsWithSlash ? .invalid : NameTable.flaw(of: component)
        places.append(
            PathPlace(
                parent: parent, name: names.number(of: component),
                flaw: inherited == .invalid ? inherited : own))
        return path
    }

    private static func flaw(of component: String) -> DiskError.Code? {
        if component.isEmpty || component == "." || component == ".." { return .invalid }
        if component.utf8.contains(0) { return .invalid }
        return component.utf8.count > longestName ? .nameTooLong : nil
    }
}

/// Where a path stands: its directory, its last component, and what is wrong with its spelling.
struct PathPlace: Sendable {
    let parent: PathNumber
    let name: NameNumber
    /// `invalid` for a component that no ``DiskPath`` may have, `nameTooLong` for a last one over 255 bytes.
    let flaw: DiskError.Code?
}

/// Texts numbered in the order of their first mention.
struct InternedTexts: Sendable {
    private var texts: [String] = []
    /// An open table of numbers, -1 where none is: a power of two, at most half full, searched from the
    /// place that the text's bytes say.
    private var slots = [Int32](repeating: -1, count: 16)

    var count: Int { texts.count }

    func text(_ number: Int32) -> String { texts[Int(number)] }

    func isShared(with other: InternedTexts) -> Bool {
        texts.withUnsafeBufferPointer { mine in
            other.texts.withUnsafeBufferPointer {
                mine.baseAddress == $0.baseAddress && mine.count == $0.count
            }
        }
    }

    func known(_ text: String) -> Int32? {
        let number = slots[slot(of: text)]
        return number < 0 ? nil : number
    }

    mutating func number(of text: String) -> Int32 {
        let slot = slot(of: text)
        if slots[slot] >= 0 { return slots[slot] }
        let number = Int32(texts.count)
        texts.append(text)
        slots[slot] = number
        if texts.count * 2 > slots.count { grow() }
        return number
    }

    /// Where it stands, or would stand.
    private func slot(of text: String) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: TextBytes.spread(text)) & mask
        while slots[slot] >= 0, !TextBytes.areEqual(texts[Int(slots[slot])], text) {
            slot = (slot + 1) & mask
        }
        return slot
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: slots.count * 2)
        for (number, text) in texts.enumerated() { slots[slot(of: text)] = Int32(number) }
    }
}
