import Testing

@testable import VTXTranscode

@Suite("The order of presentation")
struct PresentationOrderTests {
    private func order(_ samples: [(order: Int?, begins: Bool)]) -> PresentationOrder {
        var order = PresentationOrder()
        for sample in samples { order.append(order: sample.order, beginsSequence: sample.begins) }
        order.finish()
        return order
    }

    @Test func `without reordering nothing is ahead of anything`() {
        let order = order([(0, true), (2, false), (4, false)])
        #expect(order.ranks == [0, 1, 2])
        #expect(order.delay == 0)
    }

    @Test func `a pyramid of B pictures is decoded two frames ahead`() {
        let order = order([(0, true), (8, false), (4, false), (2, false), (6, false)])
        #expect(order.ranks == [0, 4, 2, 1, 3])
        #expect(order.delay == 2)
        for (index, rank) in order.ranks.enumerated() { #expect(rank >= index - order.delay) }
    }

    @Test func `sequences follow one another, whatever their counts are`() {
        let order = order([(0, true), (4, false), (2, false), (0, true), (-2, false), (2, false)])
        #expect(order.ranks == [0, 2, 1, 4, 3, 5])
    }

    @Test func `what has no count stays where it is decoded`() {
        let order = order([(0, true), (4, false), (2, false), (nil, false), (6, false)])
        #expect(order.ranks == [0, 2, 1, 3, 4])
        #expect(order.unorderedCount == 1)
    }

    @Test func `equal counts keep the order of decoding`() {
        #expect(order([(2, true), (2, false), (0, false)]).ranks == [1, 2, 0])
    }
}
