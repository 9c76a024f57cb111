import Core

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

extension PosixDisk {
    /// Makes a folder for a volume, and those above it, where they are not there. Only the app may read them.
    /// - Parameter path: of the file system.
    /// - Throws: ``DiskError`` when one can't be made; a file with its name is `notADirectory`.
    public static func makeFolders(_ path: String) throws(DiskError) {
        do throws(SystemError) {
            return SystemCalls.closeQuietly(try SystemCalls.openRoot(path))
        } catch {
            guard error.code == .notFound else { throw DiskError(error.code, .open) }
        }
        var end = path.startIndex
        while end < path.endIndex {
            end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
            let folder = String(path[..<end])
            do throws(SystemError) {
                try SystemCalls.makeDirectory(at: AT_FDCWD, folder, 0o700)
            } catch {
                // The one above may be none that this process may write to; what counts is the last one.
                if error.code == .exists || end < path.endIndex { continue }
                throw DiskError(error.code, .makeDirectory)
            }
        }
    }
}
