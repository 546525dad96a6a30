import VTXFFmpeg
import VTXSystem

/// The streams that have been encoded: many tests use the same recipe.
enum EncodedStreams {
    private static let known = Locked<[String: EncodedStream]>([:])

    /// Encodes a recipe, unless it has been. The packets are the caller's own, and share their bytes with others.
    static func stream<Recipe: Sendable>(
        of recipe: Recipe, globalHeader: Bool, encode: () throws -> EncodedStream
    ) throws -> EncodedStream {
        var key = "\(Recipe.self), global header: \(globalHeader)\n"
        // Every property, also of types that describe themselves in short.
        dump(recipe, to: &key)
        if let stream = known.withLock({ $0[key] }) { return try stream.copy() }
        let stream = try encode()
        let copy = try stream.copy()
        known.withLock { $0[key] = copy }
        return stream
    }
}

extension EncodedStream {
    fileprivate func copy() throws -> EncodedStream {
        EncodedStream(description: description, packets: try packets.map { try $0.reference() })
    }
}
