import FoundationEssentials
import Testing

@testable import VTXMedia

@Suite("Messages")
struct MessageTests {
    private let message: Message = "\(option: .hardware, "auto") lets '\("a b")' be"

    @Test("name options as data unless a program spells them")
    func options() {
        #expect("\(message)" == "hardware=auto lets 'a b' be")
        #expect(message.text { name, value in "<\(name.rawValue) \(value ?? "-")>" } == "<hardware auto> lets 'a b' be")
        let plain: Message = "\(option: .size) chooses"
        #expect(plain.text { name, value in "<\(name.rawValue) \(value ?? "-")>" } == "<size -> chooses")
    }

    @Test("keep the options in JSON, unless the encoder spells them")
    func json() throws {
        let data = try JSONEncoder().encode([message])
        #expect(try JSONDecoder().decode([Message].self, from: data) == [message])
        let encoder = JSONEncoder()
        let spelling: Message.Spelling = { name, value in "--\(name.rawValue) \(value ?? "")" }
        encoder.userInfo[Message.spelling] = spelling
        #expect(String(decoding: try encoder.encode([message]), as: UTF8.self) == "[\"--hardware auto lets 'a b' be\"]")
    }

    @Test("cannot be forged by inserted values")
    func forged() {
        let forged: Message = "'\("\u{E}hardware=off\u{E}")'"
        #expect(forged.text { _, _ in "OPTION" } == "'\u{FFFD}hardware=off\u{FFFD}'")
    }
}
