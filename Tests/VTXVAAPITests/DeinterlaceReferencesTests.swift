import Testing
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@testable import VTXVAAPI

@Suite("A deinterlacer's references")
struct DeinterlaceReferencesTests {
    private func frames(_ count: Int, size: PixelSize = PixelSize(32, 32)) throws -> [Frame] {
        try VideoRecipe {
            ($0.frameCount, $0.size) = (count, size)
        }.makeFrames()
    }

    private func pairs(
        _ frames: [Frame], _ references: (before: Int, after: Int), isWanted: Bool = true
    ) -> [DeinterlaceReferences.Picture] {
        var queue = DeinterlaceReferences(references: references) { _ in isWanted }
        var pictures: [DeinterlaceReferences.Picture] = []
        for frame in frames {
            queue.add(frame)
            while let picture = queue.next() { pictures.append(picture) }
        }
        queue.end()
        while let picture = queue.next() { pictures.append(picture) }
        return pictures
    }

    @Test("each frame is output once, with the driver's past and future references, nearest first")
    func references() throws {
        let pictures = pairs(try frames(5), (2, 1))
        #expect(pictures.map(\.frame.pts) == [0, 1, 2, 3, 4])
        #expect(pictures.map { $0.before.map(\.pts) } == [[], [0], [1, 0], [2, 1], [3, 2]])
        #expect(pictures.map { $0.after.map(\.pts) } == [[1], [2], [3], [4], []])
        #expect(pictures.map(\.hasAll) == [false, false, true, true, false])
    }

    @Test("a frame that is not deinterlaced waits for no reference")
    func progressive() throws {
        var queue = DeinterlaceReferences(references: (1, 1)) { _ in false }
        queue.add(try frames(1)[0])
        #expect(queue.next() != nil)
    }

    @Test("an algorithm without references needs no other frame")
    func alone() throws {
        #expect(pairs(try frames(3), (0, 0)).allSatisfy { $0.hasAll && $0.before.isEmpty && $0.after.isEmpty })
    }

    @Test("a frame of another size is not a reference")
    func changes() throws {
        let pictures = pairs(try frames(2) + frames(2, size: PixelSize(64, 32)), (1, 1))
        #expect(pictures.map { $0.before.count } == [0, 1, 0, 1] && pictures.map { $0.after.count } == [1, 0, 1, 0])
    }
}
