import Backend
import Core
import ScenarioLanguage
import Updater

/// Builds the versions in order and keeps equal content once.
struct VersionLibraryBuilder {
    private let setup: WorldSetup
    private let meter: ContentMeter?
    private(set) var contents: [HashedContent] = []
    private var made = LookupTable<MadeKey, Int>()
    /// Bytes of ``contents`` that are in memory.
    private var literalBytes = 0
    /// Hashes of the contents; the id of each is its content's index.
    private var hashes = InternedTexts()

    private struct MadeKey: Comparable, Sendable {
        let key: ContentKey
        let head: String

        static func < (left: MadeKey, right: MadeKey) -> Bool {
            left.key == right.key ? left.head < right.head : left.key < right.key
        }
    }

    init(_ setup: WorldSetup, _ meter: ContentMeter?) {
        self.setup = setup
        self.meter = meter
    }

    private var dialect: ManifestDialect { setup.app.dialect }

    mutating func build(_ version: VersionSetup, ordinal: Int) throws(SetupError) -> BuiltVersion {
        var files: [BuiltFile] = []
        // A file is built after the files that it refers to.
        for kind in [Pass.leaves, .styles, .pages] {
            for file in version.files where pass(of: file, in: version) == kind {
                let content = try content(of: file, in: version, known: files)
                files.append(try builtFile(file, content, in: version))
            }
        }
        if dialect == .meteor { files.append(meteorIndex(of: version, known: files)) }
        files.sort { TextBytes.precedes($0.route, $1.route) }
        for (file, next) in zip(files, files.dropFirst()) where TextBytes.areEqual(file.route, next.route) {
            throw .duplicateName(kind: "route of \(version.name)", name: file.route)
        }
        let index = dialect == .meteor ? "/" : version.index
        guard let indexFile = files.first(where: { $0.template == index }) else {
            throw .noIndex(version: version.name)
        }
        return BuiltVersion(
            name: version.name, id: version.id, ordinal: ordinal, files: files, index: indexFile.route,
            native: try setup.app.range(ofNative: version.native),
            compatibility: setup.app.compatibility(ofNative: version.native), startup: version.startup)
    }

    private enum Pass { case leaves, styles, pages }

    private func pass(of file: FileSetup, in version: VersionSetup) -> Pass {
        switch ContentGenerator.kind(ofRoute: file.route) {
        case .page: .pages
        case .style: .styles
        case .script, .json, .plain, .binary: .leaves
        }
    }

    private mutating func content(of file: FileSetup, in version: VersionSetup, known: [BuiltFile])
        throws(SetupError) -> Int
    {
        switch file.content {
        case .bytes(let bytes): return add(HashedContent(PublishedContent(bytes), dialect))
        case .made(let key):
            guard key.size >= 0 else { throw .negativeSize(version: version.name, route: file.route) }
            let kind = ContentGenerator.kind(ofRoute: file.route)
            return make(key, kind, head: head(kind, key, file, known))
        }
    }

    private func head(
        _ kind: ContentGenerator.Kind, _ key: ContentKey, _ file: FileSetup, _ known: [BuiltFile]
    )
        -> String
    {
        switch kind {
        case .page: pageHead(title: key.version, known, extra: "")
        case .style:
            ContentGenerator.styleHead(fonts: references(known) { $0.hasPrefix("font/") })
        case .script, .json, .plain, .binary: ""
        }
    }

    private func pageHead(title: String, _ known: [BuiltFile], extra: String) -> String {
        ContentGenerator.pageHead(
            title: title, styles: references(known) { $0 == "text/css" },
            scripts: references(known) { $0 == "text/javascript" },
            images: references(known) { $0.hasPrefix("image/") }, extra: extra)
    }

    /// URLs of the files that fit; without optional ones, whose 404 a page could not tell from a fault.
    private func references(_ known: [BuiltFile], _ fits: (String) -> Bool) -> [String] {
        var found: [String] = []
        for file in known where !file.isOptional {
            let stated = file.type?.split(separator: ";").first.map(String.init)
            guard fits(stated ?? ContentTypes.mediaType(ofName: file.route)) else { continue }
            found.append(url(of: file))
        }
        return found.sorted()
    }

    private func url(of file: BuiltFile) -> String {
        let path = VersionLibraryBuilder.encoded(file.route)
        guard dialect == .meteor else { return path }
        return ManifestWriter.meteorURL(of: file, path: path, hash: contents[file.content].hash)
    }

    static func encoded(_ route: String) -> String {
        do { return try Route(route).percentEncoded } catch { return route }
    }

    /// Meteor's boilerplate page: it differs in each version, and no manifest lists it.
    private mutating func meteorIndex(of version: VersionSetup, known: [BuiltFile]) -> BuiltFile {
        var config = JSONWriter()
        config.beginObject()
        config.member("meteorRelease", "METEOR@2.16")
        config.member("ROOT_URL", setup.origin.root + "/")
        config.member("ROOT_URL_PATH_PREFIX", "")
        config.member("appId", setup.app.id)
        config.member("autoupdateVersionCordova", version.id)
        config.endObject()
        let text = ContentGenerator.encodeURIComponent(config.bytes)
        var extra = "<script type=\"text/javascript\">"
        extra += "__meteor_runtime_config__ = JSON.parse(decodeURIComponent(\"\(text)\"));</script>\n"
        if setup.app.www.contains(where: { $0.path == "cordova.js" }) {
            extra += "<script type=\"text/javascript\" src=\"/cordova.js\"></script>\n"
        }
        let key = ContentKey(version: version.name, route: "/", size: 1_500)
        let content = make(key, .page, head: pageHead(title: version.name, known, extra: extra))
        return BuiltFile(
            route: "/", template: "/", content: content, size: contents[content].content.count,
            statedSize: contents[content].content.count, isOptional: false, isImmutable: false,
            isHashed: false, type: "text/html; charset=utf-8",
            sourceMap: nil, isUnlisted: true)
    }

    private func builtFile(_ file: FileSetup, _ content: Int, in version: VersionSetup) throws(SetupError)
        -> BuiltFile
    {
        let route = resolved(file.route, contents[content].hash)
        do { _ = try Route(route) } catch { throw .invalidRoute(version: version.name, route: route) }
        return BuiltFile(
            route: route, template: file.route, content: content, size: contents[content].content.count,
            statedSize: file.statedSize ?? contents[content].content.count, isOptional: file.isOptional,
            isImmutable: file.isImmutable,
            isHashed: !TextBytes.areEqual(route, file.route),
            type: file.type, sourceMap: try sourceMap(of: file, in: version), isUnlisted: false)
    }

    private func hasHashMark(_ template: String) -> Bool { resolved(template, "") != template }

    private func resolved(_ template: String, _ hash: String) -> String {
        let mark = Array("{hash}".utf8)
        let bytes = Array(template.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: mark) {
                result.append(contentsOf: hash.utf8)
                index += mark.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Route of the file's source map, with its hash where the template has one.
    private func sourceMap(of file: FileSetup, in version: VersionSetup) throws(SetupError) -> String? {
        guard let template = file.sourceMap, hasHashMark(template),
            let map = version.files.first(where: { TextBytes.areEqual($0.route, template) })
        else { return file.sourceMap }
        switch map.content {
        case .bytes(let bytes):
            return resolved(template, HashedContent(PublishedContent(bytes), dialect).hash)
        case .made(let key):
            return resolved(template, hashed(key, ContentGenerator.kind(ofRoute: template), head: "").hash)
        }
    }

    private mutating func make(_ key: ContentKey, _ kind: ContentGenerator.Kind, head: String) -> Int {
        let madeKey = MadeKey(key: key, head: head)
        if let known = made[madeKey] { return known }
        let index = add(hashed(key, kind, head: head))
        made[madeKey] = index
        return index
    }

    /// The generated content of a key; if it is large, it is generated once here, for its hash.
    private func hashed(_ key: ContentKey, _ kind: ContentGenerator.Kind, head: String) -> HashedContent {
        if let known = made[MadeKey(key: key, head: head)] { return contents[known] }
        let content = ContentGenerator.make(key, kind: kind, head: head, meter)
        let isKept = literalBytes + content.count <= VersionLibraryBuilder.mostLiteralBytes
        return HashedContent(isKept ? content.literal(upTo: VersionLibrary.literalSize) : content, dialect)
    }

    /// Bytes of the generated files of a library that are kept.
    private static let mostLiteralBytes = 32 << 20

    private mutating func add(_ content: HashedContent) -> Int {
        let index = Int(hashes.id(of: content.hash))
        if index == contents.count {
            contents.append(content)
            if !content.content.isGenerated { literalBytes += content.content.count }
        }
        return index
    }
}
