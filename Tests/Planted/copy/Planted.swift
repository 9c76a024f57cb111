#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The bug that this run of the copy has, by the name of its patch; none without the variable.
private let plantedBug = plantedText("OTALAB_PLANTED")

/// What the disk does to this run beside that, bug or none.
private let plantedTrouble = plantedText("OTALAB_TROUBLE")

private func plantedText(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

public func planted(_ name: String) -> Bool { plantedBug == name }

public func troubled(by name: String) -> Bool { plantedTrouble == name }
