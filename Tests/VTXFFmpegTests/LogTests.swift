import Testing
import VTXFFmpeg

@Suite("What libav says")
struct LogTests {
    @Test("a thread that collects errors gets its own, however many collect at the same time")
    func threads() async throws {
        let lines = await withTaskGroup(of: (Int, [String]).self, returning: [Int: [String]].self) { group in
            for number in 0..<8 {
                group.addTask {
                    let (_, errors) = LibraryLog.collecting {
                        for _ in 0..<50 { _ = try? FilterGraph(generating: "color,nosuchfilter\(number)") }
                    }
                    return (number, errors)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for number in 0..<8 {
            let own = try #require(lines[number])
            #expect(own.contains { $0.contains("nosuchfilter\(number)") })
            #expect(own.allSatisfy { !$0.contains("nosuchfilter") || $0.contains("nosuchfilter\(number)") })
        }
    }

    @Test("errors are kept only while they are collected, and more than there is room for are cut")
    func bounds() {
        let (_, many) = LibraryLog.collecting {
            for _ in 0..<500 { _ = try? FilterGraph(generating: "color,nosuchfilter") }
        }
        #expect(many.joined().utf8.count < 4096 && many.count > 10)
        _ = try? FilterGraph(generating: "color,nosuchfilter")
        #expect(LibraryLog.collecting {}.lines == [])
    }
}
