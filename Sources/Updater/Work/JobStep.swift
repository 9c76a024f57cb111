import Core

/// What a step of a job leads to.
enum JobStep<Job> {
    case done
    /// The job continues with another step.
    case next(Job)
    /// The job continues when this is durable, or with the error of the sync.
    case sync(SyncTarget, then: Job)

    func map<Other>(_ wrap: (Job) -> Other) -> JobStep<Other> {
        switch self {
        case .done: .done
        case .next(let job): .next(wrap(job))
        case .sync(let target, let job): .sync(target, then: wrap(job))
        }
    }
}
