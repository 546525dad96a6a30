import Testing

@testable import VTXSystem

@Suite("Lines of a pipe")
struct LineSplitterTests {
    @Test("lines are complete, with any chunks")
    func splitting() {
        var lines = LineSplitter(longest: 16384)
        #expect(lines.add(Array("one\ntw".utf8)) == ["one"])
        #expect(lines.add(Array("o".utf8)) == [])
        #expect(lines.add(Array("\n\nthree\n".utf8)) == ["two", "three"])
    }

    @Test("an endless line uses bounded memory")
    func endlessLine() {
        var lines = LineSplitter(longest: 16384)
        for _ in 0..<10 { _ = lines.add([UInt8](repeating: 65, count: 16384)) }
        #expect(lines.add(Array("\nended 0\n".utf8)).last == "ended 0")
    }
}
