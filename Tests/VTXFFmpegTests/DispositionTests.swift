import CFFmpeg
import Testing
import VTXMedia

@Suite("Dispositions")
struct DispositionTests {
    @Test("have the names that libavformat gives them")
    func names() {
        for bit in Int32(0)..<31 {
            guard let name = av_disposition_to_string(1 << bit) else { continue }
            #expect(Disposition(rawValue: 1 << bit).names == [String(cString: name)])
        }
    }
}
