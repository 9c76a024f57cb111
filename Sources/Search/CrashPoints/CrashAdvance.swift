/// The progress of the search of one scenario.
package enum CrashAdvance: Hashable, Sendable {
    /// Moments with disk operations at which first crashes were tried.
    case first(done: Int, of: Int)
    /// First crashes whose recovery was crashed again at each operation.
    case second(done: Int, of: Int)
}
