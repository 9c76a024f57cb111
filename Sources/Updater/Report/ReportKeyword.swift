/// Keywords that begin the lines of an error report. The page `ErrorReport` says what each line contains.
/// Another updater that knows less omits lines and fields.
package enum ReportKeyword: String, Hashable, Sendable, CaseIterable {
    case report = "otalab-report"
    case app
    case device
    case version
    case blacklist
    case damaged
    case log
    case host
    case end
}
