/// One of the ways in which a device can be made to encode, by its driver's names: `EncSliceLP`, `VBR`.
package struct EncodingMode: Sendable, Hashable, CustomStringConvertible, CodingKeyRepresentable {
    package var entrypoint: String
    package var rateControl: String

    package init(entrypoint: String, rateControl: String) {
        self.entrypoint = entrypoint
        self.rateControl = rateControl
    }

    package var description: String { "\(entrypoint) \(rateControl)" }

    /// Reads what `description` writes.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2 else { return nil }
        self.init(entrypoint: String(words[0]), rateControl: String(words[1]))
    }
}

// As a key of an object it is the same text.
extension EncodingMode {
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init?(intValue: Int) { return nil }
        init(stringValue: String) { self.stringValue = stringValue }
    }

    package var codingKey: any CodingKey { Key(stringValue: description) }
    package init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }
}
