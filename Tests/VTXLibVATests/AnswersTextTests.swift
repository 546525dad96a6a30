import Testing
import VTXLibVA
import VTXMedia

@Suite("Drivers' answers as text")
struct AnswersTextTests {
    @Test("each fixture is unchanged after a round trip", arguments: Fixture.names)
    func roundTrip(name: String) throws {
        let fixture = try Fixture(name)
        let body = fixture.text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        #expect(fixture.answers.text == body.joined(separator: "\n"))
    }

    @Test("missing capabilities stay unknown, and unknown values stay numbers")
    func unknown() throws {
        let text = """
            libva 1.22
            vendor A driver
            surfaces unknown
            row HEVCMain VLD
            attributes RTFormat=0x1 #77=0x5
            surfaces NV12 0x1020304 min=16x16 memory=0x1
            row #99 #200
            processing filters=Deinterlacing,#50 rotations=0x2

            """
        let answers = try DriverCapabilities(text: text)
        #expect(answers.row(.hevcMain, .vld)?.surfaces == nil && answers.rows[0].attributes.isEmpty)
        #expect(answers.rows[1].attributes[ConfigAttribute(rawValue: 77)] == 5)
        #expect(answers.rows[1].surfaces?.minSize == PixelSize(16, 16) && answers.rows[1].surfaces?.maxSize == nil)
        #expect(answers.videoProcessing?.rotations == .quarter)
        #expect(answers.text == text)
    }

    @Test(
        "an invalid line is an error with its number",
        arguments: [
            "libva one", "attributes RTFormat", "attributes Nothing=0x1", "attributes RTFormat=5", "surfaces NV12345",
            "surfaces min=16", "row HEVCMain", "row HEVCMain Sleep", "processing filters", "processing blends=x", "?",
        ])
    func errors(line: String) {
        let error = #expect(throws: DriverCapabilitiesSyntaxError.self) {
            _ = try DriverCapabilities(text: "libva 1.17\nvendor x\n" + line)
        }
        #expect(error?.line == 3 && error?.content == line)
    }

    @Test("a text without a version or a vendor is invalid")
    func lacking() {
        #expect(throws: DriverCapabilitiesSyntaxError.self) { _ = try DriverCapabilities(text: "libva 1.17\n") }
        #expect(throws: DriverCapabilitiesSyntaxError.self) { _ = try DriverCapabilities(text: "vendor x\n") }
    }
}
