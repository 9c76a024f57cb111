extension Clause {
    /// The local server.
    static let serving: [Clause] = [
        Clause("S1.pinned", "A page gets its index and all its files from one version."),
        Clause(
            "S1.between-loads",
            "A switch is complete before the first request of the next page load is answered."),
        Clause(
            "S1.by-hash",
            "A request of no page load is answered from the version whose manifest fixes that URL by "
                + "hash, else from the current one."),
        Clause("S1.www", "Files of the app package belong to no version."),
        Clause("S2.bytes", "A byte that is served is the byte that was accepted."),
        Clause("S3.navigation", "A navigation to a document gets the index."),
        Clause("S3.others", "A script, style, image, API call or well-known path never gets the index."),
        Clause(
            "S3.old-web-view",
            "Without Sec-Fetch-Dest, Accept and the extension decide; what the host opens is a document."),
        Clause(
            "S3.frame",
            "A frame gets a file of its page's version, never the index, and changes nothing of the page, also "
                + "where no Sec-Fetch-Dest says that it is one: no view announced its document."),
        Clause(
            "S4.same-port",
            "Scheme, host and port stay the same over restarts, updates, suspension and store updates."),
        Clause(
            "S4.taken-port",
            "A taken port is bound again after 0.2, 0.5, 1, 2 and 5 s, then every 10 s, with a screen "
                + "that says so."),
        Clause(
            "S4.listed-port",
            "Another port is taken only from a list that the app configures; without one none is."),
        Clause("S5.immutable", "Only a URL with the hash of its content is immutable."),
        Clause(
            "S5.revalidated", "Everything else is revalidated, and a 304 is given for equal content only."),
        Clause(
            "S6.loopback", "The server listens on loopback alone.",
            shownBy: "DeviceShellTests/Sockets/StrainTests"),
        Clause("S6.own-pages", "Another host name, and a client without the key, get nothing."),
        Clause("S6.paths", "Nothing outside the version and www can be read, however the path is written."),
        Clause(
            "S7.unchanged",
            "Method, path, query and body reach the remote root unchanged, and its answer comes back so."),
        Clause(
            "S7.headers", "Hop-by-hop fields, the server's own key and cookies never reach the remote root."),
        Clause("S7.cookies", "Cookies of the remote root work on the local origin."),
        Clause("S7.unreachable", "An origin that can't be reached is a 502 or 504, never a hang."),
        Clause(
            "S8.back",
            "After background, suspension or a dead socket the server is back before the page needs it."),
        Clause(
            "S9.page-first",
            "Between the arrival of a page's request and its answer is at most one step of the update."),
        Clause("S9.syncs", "A page's answer waits for no sync of the update but the batch in flight."),
        Clause("S9.finishes", "Under a page that never stops asking the update still finishes."),
    ]
}
