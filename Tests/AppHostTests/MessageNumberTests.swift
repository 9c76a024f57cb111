import Core
import ModuleTestSupport
import Testing

@testable import AppHost

@Suite("Numbers in messages of a page")
struct MessageNumberTests {
    @Test(
        "A number as id comes back as it was written; one that is no JSON is refused",
        arguments: HostileNumber.all)
    func ids(number: String) throws {
        var fixture = try HostFixture()
        try fixture.launch()
        let (page, _) = fixture.show()
        for params in ["", #""params":{"text":"a","n":\#(number)},"#, #""params":\#(number),"#] {
            let message = #"{"method":"infoRequest",\#(params)"id":\#(number)}"#
            let isRead: Bool
            do throws(JSONFault) {
                _ = try JSONReader.read(Array(message.utf8), dialect: .strict)
                isRead = true
            } catch {
                isRead = false
            }
            let answer = fixture.call(message, from: page).text
            #expect(answer.hasSuffix(#","id":\#(number)}"#) == isRead, "\(answer)")
        }
        // The host still answers.
        #expect(fixture.call(#"{"method":"infoRequest","id":7}"#, from: page).text.hasSuffix(#""id":7}"#))
    }

    @Test("Numbers where the host expects text or an object", arguments: HostileNumber.all)
    func values(number: String) throws {
        var fixture = try HostFixture()
        try fixture.launch()
        let (page, _) = fixture.show()
        for method in [
            "error", "openUrl", "setRemoteRoot", "setMock", "startupDidComplete", "switchToPendingVersion",
        ] {
            for params in [
                number, #"{"message":\#(number),"url":\#(number),"name":\#(number)}"#, "[\(number)]",
            ] {
                _ = fixture.call(#"{"method":"\#(method)","params":\#(params),"id":1}"#, from: page)
            }
        }
        _ = fixture.call(#"{"result":\#(number),"id":\#(number)}"#, from: page)
        #expect(fixture.call(#"{"method":"infoRequest","id":7}"#, from: page).text.hasSuffix(#""id":7}"#))
    }
}
