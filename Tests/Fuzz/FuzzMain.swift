// What libFuzzer calls; `run` builds it with the readers and says which door to try.
import Core

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

nonisolated(unsafe) private var entry: FuzzEntry = {
    guard let name = getenv("OTALAB_FUZZ"), let entry = FuzzEntry(rawValue: String(cString: name)) else {
        fatalError(
            "OTALAB_FUZZ names no reader: " + FuzzEntry.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return entry
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(FuzzEntry.Broken) {
        try entry.run(bytes)
    } catch {
        fatalError("\(error)")
    }
    return 0
}
