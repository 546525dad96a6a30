import Testing
import VTXMedia

@Suite("A decoder's buffer")
struct LeakyBucketTests {
    /// 1000 bits, filled at 100 bits per second.
    private let vbv = VBV(bitrate: 100, bufferSize: 1000)

    private func bucket(_ fullness: Double, _ packets: [(byteCount: Int, time: Double)]) -> LeakyBucket {
        var bucket = LeakyBucket(vbv, fullness: fullness)
        for packet in packets { bucket.take(byteCount: packet.byteCount, at: packet.time) }
        return bucket
    }

    @Test("removes packets and refills, up to its size")
    func flow() {
        #expect(bucket(0.5, [(25, 7)]).fullness == 0.3)
        #expect(bucket(0.5, [(25, 7), (0, 9)]).fullness == 0.5)
        #expect(bucket(0.5, [(25, 7), (0, 99)]).fullness == 1)
    }

    @Test("returns by how much a packet exceeds its fullness")
    func late() {
        let broken = bucket(0.5, [(75, 0), (25, 1)])
        #expect(abs(broken.lowest + 0.1) < 1e-9)
        // The decoder has waited; the following packets are counted from here.
        #expect(broken.fullness == 0)
        #expect(bucket(0.5, [(50, 0), (12, 1)]).lowest == 0.1)
    }

    @Test("ignores a decreasing time")
    func order() { #expect(bucket(0.5, [(0, 5), (0, 4), (0, 6)]).fullness == 0.6) }
}
