/// How exactly a peer's bytes must follow the grammar of RFC 9112.
public enum HTTPSyntax: Hashable, Sendable {
    /// Lines end in CRLF, and a field's colon follows its name. For requests, because a deviation that two
    /// servers read differently could hide another request (RFC 9112 §11.2).
    case strict
    /// A line may end in LF alone (RFC 9112 §2.2), and blanks before a field's colon are dropped (§5.1). For
    /// responses of servers that are not under this app's control and that browsers can read.
    case tolerant
}
