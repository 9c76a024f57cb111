import Core
import ScenarioLanguage

/// The runtime configuration in a Meteor index, with other fields than its own.
enum MeteorConfiguration {
    private static let opening = Array("JSON.parse(decodeURIComponent(\"".utf8)
    /// Where newer servers state the version, instead of `autoupdateVersionCordova`.
    private static let autoupdate = "autoupdate"

    /// The page with these fields in its configuration: a value replaces the page's own or is added, nil
    /// leaves the field out. `autoupdate` is the version that `autoupdate.versions["web.cordova"]` states.
    /// The page as it is where it has no configuration.
    static func changed(_ page: [UInt8], _ changes: [HeaderSpec]) -> [UInt8] {
        guard let range = range(in: page), let text = decoded(page[range]) else { return page }
        do throws(JSONFault) {
            let root = try JSONReader.read(text, dialect: .strict)
            guard case .object(let members) = root.kind else { return page }
            let encoded = ContentGenerator.encodeURIComponent(json(members, changes))
            return page[..<range.lowerBound] + Array(encoded.utf8) + page[range.upperBound...]
        } catch {
            return page
        }
    }

    private static func json(_ members: [JSONMember], _ changes: [HeaderSpec]) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for member in members where !changes.contains(where: { $0.name.value == member.key }) {
            json.key(member.key)
            json.node(member.value)
        }
        for change in changes {
            guard let value = change.value.value else { continue }
            if change.name.value == autoupdate {
                write(version: value, &json)
            } else {
                json.member(change.name.value, value)
            }
        }
        json.endObject()
        return json.bytes
    }

    private static func write(version: String, _ json: inout JSONWriter) {
        json.key(autoupdate)
        json.beginObject()
        json.key("versions")
        json.beginObject()
        json.key("web.cordova")
        json.beginObject()
        json.member("version", version)
        json.endObject()
        json.endObject()
        json.endObject()
    }

    /// The encoded configuration.
    private static func range(in page: [UInt8]) -> Range<Int>? {
        guard page.count >= opening.count else { return nil }
        let first = (0...page.count - opening.count).first {
            page[$0..<$0 + opening.count].elementsEqual(opening)
        }
        guard let first, let end = page[(first + opening.count)...].firstIndex(of: UInt8(ascii: "\"")) else {
            return nil
        }
        return first + opening.count..<end
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let first = rest.popFirst(), let second = rest.popFirst(),
                let high = Hex.value(ofDigit: first), let low = Hex.value(ofDigit: second)
            else { return nil }
            result.append(high << 4 | low)
        }
        return result
    }
}
