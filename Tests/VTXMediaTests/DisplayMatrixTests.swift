import Testing
import VTXMedia

@Suite("The display matrix")
struct DisplayMatrixTests {
    /// The images of the points (1, 0) and (0, 1), with y downwards (ISO/IEC 14496-12, 6.2.2).
    private static let turns: [(DisplayMatrix.Orientation, [Int32])] = [
        (.upright, [1, 0, 0, 1]), (.rotated90, [0, 1, -1, 0]), (.rotated180, [-1, 0, 0, -1]),
        (.rotated270, [0, -1, 1, 0]), (.mirrored, [-1, 0, 0, 1]), (.mirroredRotated180, [1, 0, 0, -1]),
        (.mirroredRotated90, [0, -1, -1, 0]), (.mirroredRotated270, [0, 1, 1, 0]),
    ]

    private func matrix(_ part: [Int32], scale: Int32 = 65536) -> DisplayMatrix {
        let scaled = part.map { $0 * scale }
        return DisplayMatrix([scaled[0], scaled[1], 0, scaled[2], scaled[3], 0, 0, 0, 1 << 30])
    }

    @Test(
        "detects all quarter turns and mirrors, at any scale", arguments: turns, [Int32(65536), 1, 32768])
    func orientations(turn: (DisplayMatrix.Orientation, [Int32]), scale: Int32) {
        #expect(matrix(turn.1, scale: scale).orientation == turn.0)
    }

    @Test("every orientation has a matrix")
    func complete() { #expect(Set(Self.turns.map(\.0)) == Set(DisplayMatrix.Orientation.allCases)) }

    @Test(
        "any other matrix has no orientation",
        arguments: [
            [65536, 0, 0, 32768], [46341, 46341, -46341, 46341], [0, 0, 0, 0], [65536, 65536, 0, 65536],
        ])
    func others(part: [Int32]) { #expect(matrix(part, scale: 1).orientation == nil) }

    @Test("only a quarter turn swaps width and height")
    func transposed() {
        let transposing = DisplayMatrix.Orientation.allCases.filter(\.isTransposed)
        #expect(Set(transposing) == [.rotated90, .rotated270, .mirroredRotated90, .mirroredRotated270])
    }

    @Test("the identity is upright")
    func identity() { #expect(DisplayMatrix.identity.orientation == .upright) }
}
