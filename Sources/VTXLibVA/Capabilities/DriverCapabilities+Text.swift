import VTXMedia

// One line a statement. `attributes` and `surfaces` hold for the rows below them until the next such line.
//
//     libva 1.17
//     vendor Mesa Gallium driver 22.3.6 for AMD Radeon RX 6800 XT (navi21, LLVM 15.0.6, DRM 3.44)
//     attributes RTFormat=0x3 RateControl=0x16
//     surfaces NV12 min=64x64 max=4096x2304 memory=0x20000001
//     row H264Main EncSlice
//     processing filters=Deinterlacing deinterlacing=Bob,Weave input=NV12 output=NV12 rotations=0xe

extension DriverCapabilities {
    /// All of it as text, for a bug report or a test; `init(text:)` reads it back.
    ///
    /// Rows that say the same stand together: their order has no meaning, and many say the same.
    package var text: String {
        var lines = ["libva \(apiVersion)", "vendor \(vendorString)"]
        var said: (attributes: String, surfaces: String) = ("", "")
        for (shared, rows) in rows.grouped(by: { [$0.attributesText, $0.surfaces.map(\.text) ?? "unknown"] }) {
            if shared[0] != said.attributes { lines.append("attributes" + shared[0]) }
            if shared[1] != said.surfaces { lines.append("surfaces " + shared[1]) }
            said = (shared[0], shared[1])
            lines += rows.map { "row \($0.profile) \($0.entrypoint)" }
        }
        if let videoProcessing { lines.append("processing" + videoProcessing.text) }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Array {
    /// Groups in the order in which their keys first occur.
    fileprivate func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(Key, [Element])] {
        let groups = Dictionary(grouping: self, by: key)
        var seen: Set<Key> = []
        return map(key).filter { seen.insert($0).inserted }.map { ($0, groups[$0] ?? []) }
    }
}

extension DriverCapabilities.Row {
    fileprivate var attributesText: String {
        attributes.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { " \($0.key)=0x\(String($0.value, radix: 16))" }.joined()
    }
}

extension SurfaceCapabilities {
    fileprivate var text: String {
        var words = formats.map(\.description)
        if let minSize { words.append("min=\(minSize)") }
        if let maxSize { words.append("max=\(maxSize)") }
        words.append("memory=0x" + String(memoryTypes.rawValue, radix: 16))
        return words.joined(separator: " ")
    }
}

extension VideoProcessingCapabilities {
    fileprivate var text: String {
        let lists: [(String, [String])] = [
            ("filters", filters.map(\.description)), ("deinterlacing", deinterlacing.map(\.description)),
            ("input", inputFormats.map(\.description)), ("output", outputFormats.map(\.description)),
        ]
        let bits: [(String, UInt32)] = [
            ("toneMapping", toneMapping.rawValue), ("rotations", rotations.rawValue), ("mirrors", mirrors.rawValue),
            ("blends", blends.rawValue),
        ]
        let sizes = [("maxInput", maxInputSize), ("maxOutput", maxOutputSize)]
        let words =
            lists.filter { !$0.1.isEmpty }.map { "\($0.0)=" + $0.1.joined(separator: ",") }
            + bits.filter { $0.1 != 0 }.map { "\($0.0)=0x" + String($0.1, radix: 16) }
            + sizes.compactMap { name, size in size.map { "\(name)=\($0)" } }
        return words.map { " " + $0 }.joined()
    }
}
