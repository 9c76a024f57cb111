import Foundation

/// Functions of the libcurl loaded in this process, which FoundationNetworking links. They are looked up by
/// name (`dlsym`), so that neither headers nor a library of libcurl are needed to build.
///
/// Their signatures are those of libcurl's manual and have not changed since 7.18.2 (2008); libcurl
/// guarantees a stable ABI (soname 4, since 2006).
struct CurlLibrary: @unchecked Sendable {
    typealias Handle = UnsafeMutableRawPointer
    /// Callback of `SSL_CTX_set_info_callback`: the SSL connection, `SSL_CB_…`, and the alert or state.
    typealias InfoCallback =
        @convention(c) (_ connection: UnsafeRawPointer?, _ kind: Int32, _ value: Int32) -> Void

    private typealias EasyInit = @convention(c) () -> Handle?
    private typealias EasyPerform = @convention(c) (Handle) -> Int32
    private typealias EasyCleanup = @convention(c) (Handle) -> Void
    private typealias EasyStrerror = @convention(c) (Int32) -> UnsafePointer<CChar>?
    private typealias Version = @convention(c) () -> UnsafePointer<CChar>?
    private typealias GlobalInit = @convention(c) (Int) -> Int32
    private typealias EasySend =
        @convention(c) (Handle, UnsafeRawPointer, Int, UnsafeMutablePointer<Int>) -> Int32
    private typealias EasyReceive =
        @convention(c) (Handle, UnsafeMutableRawPointer, Int, UnsafeMutablePointer<Int>) -> Int32
    private typealias SetInfoCallback = @convention(c) (Handle, InfoCallback) -> Void

    private let easyInit: EasyInit
    private let easyCleanup: EasyCleanup
    private let easyPerform: EasyPerform
    private let easySend: EasySend
    private let easyReceive: EasyReceive
    private let easyStrerror: EasyStrerror
    /// OpenSSL's function; nil when this libcurl uses another TLS library.
    private let contextSetInfoCallback: SetInfoCallback?
    /// Cache of OpenSSL's trust store; nil when this libcurl uses another TLS library.
    let trustStores: TrustStoreCache?
    /// Address of `curl_easy_setopt`, which has variadic arguments.
    let setopt: UnsafeMutableRawPointer
    /// Address of `curl_easy_getinfo`, which has variadic arguments.
    let getinfo: UnsafeMutableRawPointer

    /// The libcurl of this process; nil when none is loaded.
    static let found: CurlLibrary? = {
        guard let process = dlopen(nil, RTLD_NOW) else { return nil }
        return CurlLibrary { dlsym(process, $0) }
    }()

    /// - Parameter address: returns the address of a function by its name; nil when there is none.
    init?(_ address: (String) -> UnsafeMutableRawPointer?) {
        guard let globalInit = address("curl_global_init"), let begin = address("curl_easy_init"),
            let cleanup = address("curl_easy_cleanup"), let perform = address("curl_easy_perform"),
            let send = address("curl_easy_send"), let receive = address("curl_easy_recv"),
            let strerror = address("curl_easy_strerror"), let version = address("curl_version"),
            let setopt = address("curl_easy_setopt"), let getinfo = address("curl_easy_getinfo")
        else { return nil }
        easyInit = unsafeBitCast(begin, to: EasyInit.self)
        easyCleanup = unsafeBitCast(cleanup, to: EasyCleanup.self)
        easyPerform = unsafeBitCast(perform, to: EasyPerform.self)
        easySend = unsafeBitCast(send, to: EasySend.self)
        easyReceive = unsafeBitCast(receive, to: EasyReceive.self)
        easyStrerror = unsafeBitCast(strerror, to: EasyStrerror.self)
        self.setopt = setopt
        self.getinfo = getinfo
        let text = unsafeBitCast(version, to: Version.self)().map { String(cString: $0) } ?? ""
        // A library in parentheses is available but not used.
        let usesOpenSSL = text.split(separator: " ").contains { $0.hasPrefix("OpenSSL/") }
        let setInfoCallback = usesOpenSSL ? address("SSL_CTX_set_info_callback") : nil
        contextSetInfoCallback = setInfoCallback.map { unsafeBitCast($0, to: SetInfoCallback.self) }
        trustStores = usesOpenSSL ? TrustStoreCache(address) : nil
        // CURL_GLOBAL_ALL (3); a repeated call is harmless.
        guard unsafeBitCast(globalInit, to: GlobalInit.self)(3) == 0 else { return nil }
    }

    /// `curl_easy_init`
    func makeHandle() -> Handle? { easyInit() }

    /// `curl_easy_cleanup`
    func destroy(_ handle: Handle) { easyCleanup(handle) }

    /// `curl_easy_perform`
    /// - Returns: `CURLE_…`; 0 for success.
    func perform(_ handle: Handle) -> Int32 { easyPerform(handle) }

    /// `curl_easy_send`
    func send(_ handle: Handle, _ bytes: UnsafeRawPointer, _ size: Int, _ count: inout Int) -> Int32 {
        easySend(handle, bytes, size, &count)
    }

    /// `curl_easy_recv`
    func receive(_ handle: Handle, _ buffer: UnsafeMutableRawPointer, _ size: Int, _ count: inout Int)
        -> Int32
    {
        easyReceive(handle, buffer, size, &count)
    }

    /// `curl_easy_strerror`
    func message(_ code: Int32) -> String {
        easyStrerror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    /// Whether ``setInfoCallback(_:_:)`` has an effect.
    var hasInfoCallback: Bool { contextSetInfoCallback != nil }

    /// `SSL_CTX_set_info_callback`
    func setInfoCallback(_ context: UnsafeMutableRawPointer, _ callback: InfoCallback) {
        contextSetInfoCallback?(context, callback)
    }
}
