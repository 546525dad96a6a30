import Testing
import VTXFFmpeg

@Suite("libav's log")
struct LogTests {
    @Test("a thread collects only its own errors, in parallel with others")
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

    @Test("errors are kept only while collected, and truncated at the limit")
    func bounds() {
        let (_, many) = LibraryLog.collecting {
            for _ in 0..<500 { _ = try? FilterGraph(generating: "color,nosuchfilter") }
        }
        #expect(many.joined().utf8.count < 4096 && many.count > 10)
        _ = try? FilterGraph(generating: "color,nosuchfilter")
        #expect(LibraryLog.collecting {}.lines == [])
    }
}
