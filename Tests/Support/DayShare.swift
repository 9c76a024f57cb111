import Foundation

extension Array {
    /// The elements whose turn it is today: each has one within as many days as there are parts. For what
    /// takes long, and of which a script runs all.
    public func today(of parts: Int) -> [Element] {
        let day = Int(Date().timeIntervalSince1970 / 86_400)
        return indices.filter { $0 % parts == day % parts }.map { self[$0] }
    }
}
