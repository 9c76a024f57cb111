import Core

/// A message of native code to the page in front, and what the page does with it (rule N5).
package struct NativeSpec: Hashable, Sendable {
    /// Method of the message.
    package var method: Spanned<String>
    /// JSON, sent as it is, valid or not; nil: `null`.
    package var params: Spanned<String>?
    package var answer: NativeAnswerMode
    /// How long after the message the page answers; nil: at once.
    package var delay: Spanned<TimeSpan>?

    package init(
        method: Spanned<String>, params: Spanned<String>? = nil, answer: NativeAnswerMode = .once,
        delay: Spanned<TimeSpan>? = nil
    ) {
        self.method = method
        self.params = params
        self.answer = answer
        self.delay = delay
    }
}

/// How a page answers a message of native code. Its result is what it was sent.
package enum NativeAnswerMode: String, CaseIterable, Hashable, Sendable {
    case once, twice, never
    /// Its handler throws, which the page's script makes a result.
    case withAnError = "with an error"
}
