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
    /// All capabilities as text, for a bug report or a test. `init(text:)` parses it.
    ///
    /// Identical rows are grouped: their order has no meaning, and many are identical.
    package var text: String {
        var lines = ["libva \(apiVersion)", "vendor \(vendorString)"]
        var said: (attributes: String, surfaces: String) = ("", "")
        for group in rows.grouped(by: \.answers) {
            let (attributes, surfaces) = (group[0].attributesText, group[0].surfaces.map(\.text) ?? "unknown")
            if attributes != said.attributes { lines.append("attributes" + attributes) }
            if surfaces != said.surfaces { lines.append("surfaces " + surfaces) }
            said = (attributes, surfaces)
            lines += group.map { "row \($0.profile) \($0.entrypoint)" }
        }
        if let videoProcessing { lines.append("processing" + videoProcessing.text) }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Array {
    /// Groups elements, in order of the first occurrence of their key.
    fileprivate func grouped<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
        var places: [Key: Int] = [:]
        var groups: [[Element]] = []
        for element in self {
            let place = places[key(element), default: groups.count]
            if place == groups.count {
                places[key(element)] = place
                groups.append([])
            }
            groups[place].append(element)
        }
        return groups
    }
}

extension DriverCapabilities.Row {
    /// The shared properties of rows.
    fileprivate struct Answers: Hashable {
        var attributes: [ConfigAttribute: UInt32]
        var surfaces: SurfaceCapabilities?
    }

    fileprivate var answers: Answers { Answers(attributes: attributes, surfaces: surfaces) }

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

/// A line that is not in the format of `DriverCapabilities.text`.
package struct DriverCapabilitiesSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Starts at 1; 0 for what is missing from the text as a whole.
    package var line: Int
    package var content: String

    package var description: String { "line \(line) of a driver's answers: \(content)" }
}

extension DriverCapabilities {
    package init(text: String) throws(DriverCapabilitiesSyntaxError) {
        var reader = AnswersReader()
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.isEmpty || line.hasPrefix("#") || reader.take(line) else {
                throw DriverCapabilitiesSyntaxError(line: index + 1, content: String(line))
            }
        }
        guard let version = reader.version, let vendor = reader.vendor else {
            throw DriverCapabilitiesSyntaxError(line: 0, content: "it needs a libva line and a vendor line")
        }
        self.init(
            apiVersion: version, vendorString: vendor, rows: reader.rows, videoProcessing: reader.processing)
    }
}

/// Parses lines; false means that a line is invalid.
private struct AnswersReader {
    var version: APIVersion?
    var vendor: String?
    var rows: [DriverCapabilities.Row] = []
    var processing: VideoProcessingCapabilities?
    private var attributes: [ConfigAttribute: UInt32] = [:]
    private var surfaces: SurfaceCapabilities?

    mutating func take(_ line: Substring) -> Bool {
        let keyword = line.prefix { $0 != " " }
        let rest = line.dropFirst(keyword.count + 1)
        let words = rest.split(separator: " ")
        switch keyword {
        case "libva": return takeVersion(rest)
        case "vendor": vendor = String(rest)
        case "attributes": return takeAttributes(words)
        case "surfaces": return takeSurfaces(words)
        case "row": return takeRow(words)
        case "processing": return takeProcessing(words)
        default: return false
        }
        return true
    }

    private mutating func takeVersion(_ text: Substring) -> Bool {
        let numbers = text.split(separator: ".").compactMap { Int($0) }
        if numbers.count == 2 { version = APIVersion(major: numbers[0], minor: numbers[1]) }
        return numbers.count == 2
    }

    private mutating func takeAttributes(_ words: [Substring]) -> Bool {
        attributes = [:]
        for (key, value) in words.map(pair) {
            guard let value, let attribute = ConfigAttribute(key), let number = hexadecimalNumber(value) else {
                return false
            }
            attributes[attribute] = number
        }
        return true
    }

    private mutating func takeSurfaces(_ words: [Substring]) -> Bool {
        surfaces = nil
        if words == ["unknown"] { return true }
        guard let answers = SurfaceCapabilities(words: words) else { return false }
        surfaces = answers
        return true
    }

    private mutating func takeRow(_ words: [Substring]) -> Bool {
        guard words.count == 2, let profile = Profile(words[0]), let entrypoint = Entrypoint(words[1]) else {
            return false
        }
        rows.append(
            DriverCapabilities.Row(profile: profile, entrypoint: entrypoint, attributes: attributes, surfaces: surfaces)
        )
        return true
    }

    private mutating func takeProcessing(_ words: [Substring]) -> Bool {
        var answers = VideoProcessingCapabilities()
        for (key, value) in words.map(pair) {
            guard let value, answers.set(key, to: value) else { return false }
        }
        processing = answers
        return true
    }
}

extension SurfaceCapabilities {
    fileprivate init?(words: [Substring]) {
        self.init()
        for (key, value) in words.map(pair) {
            guard let value else {
                guard let format = FourCC(key) else { return nil }
                formats.append(format)
                continue
            }
            switch (key, PixelSize(value), hexadecimalNumber(value)) {
            case ("min", let size?, _): minSize = size
            case ("max", let size?, _): maxSize = size
            case ("memory", _, let bits?): memoryTypes = MemoryTypes(rawValue: bits)
            default: return nil
            }
        }
    }
}

extension VideoProcessingCapabilities {
    fileprivate mutating func set(_ key: Substring, to value: Substring) -> Bool {
        let items = value.split(separator: ",")
        switch (key, PixelSize(value), hexadecimalNumber(value)) {
        case ("filters", _, _): filters = items.compactMap { VideoProcFilter($0) }
        case ("deinterlacing", _, _): deinterlacing = items.compactMap { DeinterlacingAlgorithm($0) }
        case ("input", _, _): inputFormats = items.compactMap { FourCC($0) }
        case ("output", _, _): outputFormats = items.compactMap { FourCC($0) }
        case ("toneMapping", _, let bits?): toneMapping = ToneMappings(rawValue: bits)
        case ("rotations", _, let bits?): rotations = Rotations(rawValue: bits)
        case ("mirrors", _, let bits?): mirrors = Mirrors(rawValue: bits)
        case ("blends", _, let bits?): blends = Blends(rawValue: bits)
        case ("maxInput", let size?, _): maxInputSize = size
        case ("maxOutput", let size?, _): maxOutputSize = size
        default: return false
        }
        return true
    }
}

/// Parses `key=value`, or a single word.
private func pair(_ word: Substring) -> (key: Substring, value: Substring?) {
    guard let sign = word.firstIndex(of: "=") else { return (word, nil) }
    return (word[..<sign], word[word.index(after: sign)...])
}

private func hexadecimalNumber(_ text: Substring) -> UInt32? {
    text.hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : nil
}
