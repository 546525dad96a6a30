/// One of the ways in which a device can be made to encode, by its driver's names: `EncSliceLP`, `VBR`.
package struct EncodingMode: Sendable, Hashable, CustomStringConvertible {
    package var entrypoint: String
    package var rateControl: String

    package init(entrypoint: String, rateControl: String) {
        self.entrypoint = entrypoint
        self.rateControl = rateControl
    }

    package var description: String { "\(entrypoint) \(rateControl)" }
}
