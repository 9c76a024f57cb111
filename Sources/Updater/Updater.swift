import Core

/// The updater: which version the next page load gets, and how versions come and go.
public struct Updater {}
