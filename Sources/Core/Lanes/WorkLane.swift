/// Who waits for a piece of work (rule S9).
public enum WorkLane: Hashable, Sendable {
    /// A page, the user or the platform.
    case urgent
    /// Only the update: it gives way to everything else.
    case background
}
