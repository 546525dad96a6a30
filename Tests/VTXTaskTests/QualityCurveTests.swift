import Testing
import VTXTask

@Suite("Quality over time")
struct QualityCurveTests {
    @Test("has the worst value of each second in order of time, for any input order")
    func points() {
        var curve = QualityCurve()
        for (time, psnr) in [(4.5, 40.0), (0.2, 50), (0.9, 45), (4, 42), (2, 60)] { curve.note(psnr: psnr, at: time) }
        #expect(curve.interval == 1 && curve.points.map(\.time) == [0, 2, 4])
        #expect(curve.points.map(\.psnr) == [45, 60, 40])
    }

    @Test("never has more intervals than its limit, and loses no dip")
    func long() {
        var curve = QualityCurve()
        for second in 0..<7200 { curve.note(psnr: second == 3599 ? 20 : 50, at: Double(second)) }
        #expect(curve.points.count <= QualityCurve.limit && curve.interval == 32)
        #expect(curve.points.filter { $0.psnr == 20 }.map(\.time) == [3584])
    }
}
