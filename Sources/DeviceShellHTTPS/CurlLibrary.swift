import Foundation

/// The calls of the libcurl that is in this process, because FoundationNetworking is linked to it; found by
/// their names, so that nothing of it need be there to be compiled or linked with.
///
/// Their forms are those of libcurl's manual, and have been since 7.18.2 (2008); it promises not to change
/// its binary interface (soname 4, since 2006).
struct CurlLibrary: @unchecked Sendable {
    typealias Handle = UnsafeMutableRawPointer
    typealias Told = @convention(c) (_ connection: UnsafeRawPointer?, _ place: Int32, _ what: Int32) -> Void

    private typealias Begin = @convention(c) () -> Handle?
    private typealias Act = @convention(c) (Handle) -> Int32
    private typealias End = @convention(c) (Handle) -> Void
    private typealias Words = @convention(c) (Int32) -> UnsafePointer<CChar>?
    private typealias Version = @convention(c) () -> UnsafePointer<CChar>?
    private typealias Prepare = @convention(c) (Int) -> Int32
    private typealias Send =
        @convention(c) (Handle, UnsafeRawPointer, Int, UnsafeMutablePointer<Int>) -> Int32
    private typealias Receive =
        @convention(c) (Handle, UnsafeMutableRawPointer, Int, UnsafeMutablePointer<Int>) -> Int32
    private typealias Watch = @convention(c) (Handle, Told) -> Void

    private let easyBegin: Begin
    private let easyEnd: End
    private let easyPerform: Act
    private let easySend: Send
    private let easyReceive: Receive
    private let easyWords: Words
    /// OpenSSL's, where this libcurl stands on it.
    private let contextWatch: Watch?
    let trust: TrustStoreCache?
    /// `curl_easy_setopt` and `curl_easy_getinfo`, whose arguments vary.
    let setopt: UnsafeMutableRawPointer
    let getinfo: UnsafeMutableRawPointer

    /// nil: this process has none.
    static let found: CurlLibrary? = {
        guard let process = dlopen(nil, RTLD_NOW) else { return nil }
        return CurlLibrary { dlsym(process, $0) }
    }()

    /// - Parameter address: of a call, by its name.
    init?(_ address: (String) -> UnsafeMutableRawPointer?) {
        guard let prepare = address("curl_global_init"), let begin = address("curl_easy_init"),
            let end = address("curl_easy_cleanup"), let perform = address("curl_easy_perform"),
            let send = address("curl_easy_send"), let receive = address("curl_easy_recv"),
            let words = address("curl_easy_strerror"), let version = address("curl_version"),
            let setopt = address("curl_easy_setopt"), let getinfo = address("curl_easy_getinfo")
        else { return nil }
        easyBegin = unsafeBitCast(begin, to: Begin.self)
        easyEnd = unsafeBitCast(end, to: End.self)
        easyPerform = unsafeBitCast(perform, to: Act.self)
        easySend = unsafeBitCast(send, to: Send.self)
        easyReceive = unsafeBitCast(receive, to: Receive.self)
        easyWords = unsafeBitCast(words, to: Words.self)
        self.setopt = setopt
        self.getinfo = getinfo
        let text = unsafeBitCast(version, to: Version.self)().map { String(cString: $0) } ?? ""
        // One in brackets is there and not in use.
        let standsOnOpenSSL = text.split(separator: " ").contains { $0.hasPrefix("OpenSSL/") }
        let watch = standsOnOpenSSL ? address("SSL_CTX_set_info_callback") : nil
        contextWatch = watch.map { unsafeBitCast($0, to: Watch.self) }
        trust = standsOnOpenSSL ? TrustStoreCache(address) : nil
        // Everything (3); once more does no harm.
        guard unsafeBitCast(prepare, to: Prepare.self)(3) == 0 else { return nil }
    }

    func begin() -> Handle? { easyBegin() }

    func end(_ handle: Handle) { easyEnd(handle) }

    /// - Returns: `CURLE_…`; 0: done.
    func perform(_ handle: Handle) -> Int32 { easyPerform(handle) }

    func send(_ handle: Handle, _ bytes: UnsafeRawPointer, _ size: Int, _ count: inout Int) -> Int32 {
        easySend(handle, bytes, size, &count)
    }

    func receive(_ handle: Handle, _ buffer: UnsafeMutableRawPointer, _ size: Int, _ count: inout Int)
        -> Int32
    {
        easyReceive(handle, buffer, size, &count)
    }

    func sentence(_ code: Int32) -> String { easyWords(code).map { String(cString: $0) } ?? "error \(code)" }

    var watchesContext: Bool { contextWatch != nil }

    /// `SSL_CTX_set_info_callback`
    func watch(_ context: UnsafeMutableRawPointer, _ told: Told) { contextWatch?(context, told) }
}
