#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The bug that this run of the copy has, by the name of its patch; none without the variable.
private let plantedBug = Array(plantedText("OTALAB_PLANTED").utf8)

/// What the disk does to this run beside that, bug or none.
private let plantedTrouble = plantedText("OTALAB_TROUBLE")

private func plantedText(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

/// Compares bytes, because hundreds of bugs ask at each step.
public func planted(_ name: StaticString) -> Bool {
    plantedBug.count == name.utf8CodeUnitCount
        && memcmp(plantedBug, name.utf8Start, plantedBug.count) == 0
}

public func troubled(by name: String) -> Bool { plantedTrouble == name }
