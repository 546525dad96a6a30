import Testing
import VTXFFmpeg

@Suite("Damage propagates to pictures that refer to a damaged one")
struct DamagePropagationTests {
    private static func picture(_ change: (inout PictureDependency) -> Void = { _ in }) -> PictureDependency {
        var picture = PictureDependency()
        change(&picture)
        return picture
    }

    private let key = picture { ($0.isIntra, $0.recoveryCount) = (true, 0) }
    private let intra = picture { $0.isIntra = true }
    private let inter = picture()
    private let unused = picture { $0.isReference = false }
    private let leading = picture { ($0.isLeading, $0.isReference) = (true, false) }
    private let gap = picture { $0.hasGap = true }

    /// - Parameter damaged: positions of pictures that are damaged themselves.
    private func run(_ pictures: [PictureDependency], damaged: Set<Int> = []) -> [FrameDamage] {
        var propagation = DamagePropagation()
        return pictures.enumerated().map { index, picture in
            propagation.next(picture, damaged.contains(index) ? .decoding : [])
        }
    }

    @Test("up to the next random access point, except to intra pictures")
    func untilKey() {
        let damage = run([key, inter, inter, intra, inter, key, inter], damaged: [1])
        #expect(damage == [[], .decoding, .inherited, [], .inherited, [], []])
    }

    @Test("not from a non-reference picture")
    func unusedPicture() { #expect(run([key, unused, inter], damaged: [1]) == [[], .decoding, []]) }

    @Test("a missing picture counts as missing, in whichever frame it is detected")
    func missing() {
        var propagation = DamagePropagation()
        #expect(propagation.next(unused, .missingReference) == .missingReference)
        #expect(propagation.next(inter, []) == .inherited)
    }

    @Test("leading pictures refer to pictures before the random access point")
    func leadingPictures() {
        #expect(run([key, inter, key, leading, inter], damaged: [1]) == [[], .decoding, [], .inherited, []])
        #expect(run([key, inter, key, leading, inter], damaged: [0]) == [.decoding, .inherited, [], .inherited, []])
    }

    @Test("from a gap on, except to an intra picture")
    func gaps() {
        #expect(run([key, gap, inter, key]) == [[], .missingReference, .inherited, []])
        var intraGap = gap
        intraGap.isIntra = true
        #expect(run([key, intraGap, inter]) == [[], [], .inherited])
    }

    @Test("a recovery point counts the pictures until recovery")
    func recovery() {
        let point = Self.picture { $0.recoveryCount = 2 }
        let damage = run([key, inter, point, inter, inter, inter], damaged: [1])
        #expect(damage == [[], .decoding, .inherited, .inherited, [], []])
        #expect(run([key, inter, point, inter, inter, inter], damaged: [1, 3]).last == .inherited)
    }
}
