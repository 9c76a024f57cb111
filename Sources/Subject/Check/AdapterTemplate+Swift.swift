// The text keeps the columns that it has in the file that is written, so that its lines stay short.
extension AdapterTemplate {
    // swift-format-ignore
    package static let swift = AdapterTemplate(
        name: "swift", file: "adapter.swift",
        text: #"""
#!/usr/bin/env swift
// An adapter: a program that starts an updater and speaks the laboratory's protocol, version 1.
//
// It runs as it is, with a toy updater; `swiftc -O adapter.swift` makes a program that starts faster.
// Lines with YOURS say where your own updater comes in.
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(CryptoKit)
import CryptoKit
#endif

let env = ProcessInfo.processInfo.environment
let state = URL(fileURLWithPath: env["OTALAB_STATE"]!), package = URL(fileURLWithPath: env["OTALAB_PACKAGE"]!)
let origin = URL(string: env["OTALAB_ORIGIN"]!)!
let speed = Double(env["OTALAB_SPEED"] ?? "1")!

struct File: Codable { let route: String; let url: String?; let size: Int; let sha256: String }
struct Manifest: Codable { let app: String?; let version: String; let serial: Int?; let index: String; let files: [File] }
struct Pointer: Codable { var embedded: String?; var serial = 0; var key: String? }
struct Failure: Error { var text: String }

func read<Value: Decodable>(_ path: URL) -> Value? {
    (try? Data(contentsOf: path)).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
}

/// The old content or the new one, whatever happens: written beside it, synced, renamed.
func write(_ path: URL, _ data: Data) throws {
    let new = path.appendingPathExtension("new")
    try data.write(to: new)
    for (old, step) in [(new, { rename(new.path, path.path) }), (path.deletingLastPathComponent(), { 0 })] {
        let descriptor = open(old.path, O_RDONLY)
        defer { close(descriptor) }
        guard descriptor >= 0, fsync(descriptor) == 0, step() == 0 else { throw Failure(text: "\(path.path): \(errno)") }
    }
}

func fetch(_ url: URL) throws -> Data {
    final class Box: @unchecked Sendable { var result: Result<Data, any Error> = .failure(Failure(text: "no answer")) }
    let (box, done) = (Box(), DispatchSemaphore(value: 0))
    let request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 30 / speed)
    URLSession.shared.dataTask(with: request) { data, answer, error in
        let status = (answer as? HTTPURLResponse)?.statusCode ?? 0
        if let error { box.result = .failure(error) } else { box.result = .failure(Failure(text: "status \(status)")) }
        if status == 200, error == nil, let data { box.result = .success(data) }
        done.signal()
    }.resume()
    done.wait()
    return try box.result.get()
}

func sha256(_ data: Data) throws -> String {
    #if canImport(CryptoKit)
    return SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
    #else
    let (program, input, output) = (Process(), Pipe(), Pipe())
    program.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
    (program.standardInput, program.standardOutput) = (input, output)
    try program.run()
    DispatchQueue.global().async { input.fileHandleForWriting.write(data); input.fileHandleForWriting.closeFile() }
    return String(decoding: output.fileHandleForReading.readDataToEndOfFile().prefix(64), as: UTF8.self)
    #endif
}

// YOURS: calls of your updater. This toy downloads into a folder, verifies, and switches at launch.
final class Updater: @unchecked Sendable {
    let embedded: Manifest? = read(package.appendingPathComponent("manifest.json"))
    var pointer: Pointer
    let current: Manifest?
    let folder: URL?

    init() {
        pointer = read(state.appendingPathComponent("pointer.json")) ?? Pointer()
        if pointer.embedded != embedded?.version {  // the app is new: what it embeds wins
            pointer = Pointer(embedded: embedded?.version, serial: embedded?.serial ?? 0)
        }
        let downloaded = Updater.downloaded(pointer)
        (current, folder) = (downloaded?.manifest ?? embedded, downloaded?.folder)
    }

    static func downloaded(_ pointer: Pointer) -> (manifest: Manifest, folder: URL)? {
        guard let key = pointer.key else { return nil }
        let folder = state.appendingPathComponent("versions/" + key)
        let manifest: Manifest? = read(folder.appendingPathComponent("manifest.json"))
        return manifest.map { ($0, folder) }
    }

    /// The version that the next launch shows.
    var next: String? { Updater.downloaded(pointer)?.manifest.version ?? embedded?.version }

    func check() throws {
        let data = try fetch(origin)
        let offer = try JSONDecoder().decode(Manifest.self, from: data)
        guard offer.app == env["OTALAB_APP"], (offer.serial ?? 0) >= pointer.serial else { return }
        var key: String?
        if !offer.files.isEmpty, offer.version != embedded?.version {
            key = try sha256(data)
            let folder = state.appendingPathComponent("versions/" + key!)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in offer.files { try download(file, to: folder.appendingPathComponent(file.sha256)) }
            try write(folder.appendingPathComponent("manifest.json"), data)
        }
        (pointer.serial, pointer.key) = (offer.serial ?? 0, key)
        // Last: it names complete folders only.
        try write(state.appendingPathComponent("pointer.json"), JSONEncoder().encode(pointer))
    }

    private func download(_ file: File, to path: URL) throws {
        if FileManager.default.fileExists(atPath: path.path) { return }
        let text = file.url ?? file.route.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)!
        let data = try fetch(URL(string: text, relativeTo: origin)!)
        guard try sha256(data) == file.sha256 else { throw Failure(text: "\(file.route): wrong hash") }
        try write(path, data)
    }

    func path(of route: String) -> URL? {
        guard let file = current?.files.first(where: { $0.route == route }) else { return nil }
        return folder?.appendingPathComponent(file.sha256) ?? package.appendingPathComponent("files" + route)
    }
}

/// YOURS: your updater's own server, on the port OTALAB_PORT.
func serve(_ updater: Updater) {
    let types = ["html": "text/html", "js": "text/javascript", "css": "text/css", "png": "image/png", "json": "application/json"]
    @Sendable func answer(_ socket: Int32) {
        defer { close(socket) }
        var (head, byte) = ([UInt8](), UInt8(0))
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(socket, &byte, 1, 0) == 1 else { return }
            head.append(byte)
        }
        let lines = String(decoding: head, as: UTF8.self).lowercased().components(separatedBy: "\r\n")
        let target = String(decoding: head, as: UTF8.self).split(separator: " ")[1].prefix { $0 != "?" }
        var route = String(target).removingPercentEncoding ?? ""
        let isPage = !lines.contains { $0.hasPrefix("sec-fetch-dest:") && !$0.hasSuffix(" document") }
        if updater.path(of: route) == nil, isPage { route = updater.current?.index ?? "" }
        let body = updater.path(of: route).flatMap { try? Data(contentsOf: $0) }
        let type = types[(route as NSString).pathExtension] ?? "application/octet-stream"
        let fields = "Content-Type: \(type)\r\nContent-Length: \(body?.count ?? 0)\r\nConnection: close\r\n\r\n"
        let bytes = [UInt8]("HTTP/1.1 \(body == nil ? "404 Not Found" : "200 OK")\r\n\(fields)".utf8) + (body ?? Data())
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(socket, $0.baseAddress!, $0.count, 0) }
            guard count > 0 else { return }
            sent += count
        }
    }
    #if os(Linux)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var (on, address) = (Int32(1), sockaddr_in())
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), in_port_t(env["OTALAB_PORT"]!)!.bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
    }
    guard isBound == 0, listen(listener, 64) == 0 else { fatalError("port \(env["OTALAB_PORT"]!): \(errno)") }
    Thread.detachNewThread {
        while true {
            let socket = accept(listener, nil, nil)
            if socket >= 0 { Thread.detachNewThread { answer(socket) } }
        }
    }
}

func say(_ message: [String: Any]) {
    let line = try! JSONSerialization.data(withJSONObject: message) + [10]
    FileHandle.standardOutput.write(line)  // one call for each line: several threads write
}

signal(SIGPIPE, SIG_IGN)
// YOURS: what your updater understands, tells and promises. What is left out is not sent, or not judged.
say([
    "is": "subject", "protocol": 1, "name": "toy", "version": "1.0", "dialects": ["own"], "clock": "system",
    "serves": "http", "does": ["check", "call", "rest", "status"], "tells": ["current", "pending", "error"],
    "policy": [
        "confirm": "never", "startupTimeout": 20_000, "switchAt": ["launch"], "retries": 0, "blacklists": false,
    ],
])
let updater = Updater()
let work = DispatchQueue(label: "checks")

func status() {
    let waiting = updater.next == updater.current?.version ? nil : updater.next
    say(["is": "status", "current": updater.current?.version ?? NSNull() as Any, "pending": waiting ?? NSNull() as Any])
}

while let line = readLine() {
    let command = try! JSONSerialization.jsonObject(with: Data(line.utf8)) as! [String: Any]
    let id = command["id"] as! Int
    switch command["do"] as! String {
    case "rest":
        work.async { say(["to": id, "ok": true]) }  // its turn comes when the checks before it have ended
        continue
    case "launch":
        serve(updater)
        say(["is": "listening", "start": "/"])
    case "check":
        work.async {
            do { try updater.check() } catch { say(["is": "told", "what": "error", "cause": "\(error)"]) }
            status()
        }
    case "status": work.sync { status() }
    default: break  // YOURS: `call` with the method startupDidComplete confirms a start
    }
    say(["to": id, "ok": true])
}
exit(0)

"""#)
}
