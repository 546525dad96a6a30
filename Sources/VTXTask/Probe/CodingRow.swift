package import VTXMedia

/// A codec and profile in one direction, as a device says it; and what came of trying it.
package struct CodingRow: Sendable, Hashable, Codable {
    package enum Direction: String, Sendable, Hashable, Codable {
        case decode
        case encode
    }

    package var direction: Direction
    /// libavcodec's name: `h264`, `mpeg2video`.
    package var codec: String
    /// `main10`, or VA's name of a profile that vtx has no name for.
    package var profile: String
    /// `VLD`, `EncSlice`, `EncSliceLP`; nil in software.
    package var entrypoint: String?
    package var bitDepths: [Int] = []
    /// `4:2:0`.
    package var chroma: String
    package var minSize: Size?
    package var maxSize: Size?
    /// VA's names; empty in software and when decoding.
    package var rateControls: [String] = []
    package var bFrames: Bool?
    /// The headers that the application may write itself, by VA's names; nil in software and when decoding.
    package var packedHeaders: [String]?
    /// False for what vtx leaves alone.
    package var isUsed = true
    /// nil where nothing was tried.
    package var trial: SelfTestResult?

    package init(_ direction: Direction, codec: String, profile: String, chroma: String) {
        self.direction = direction
        self.codec = codec
        self.profile = profile
        self.chroma = chroma
    }

    /// Width and height in pixels.
    package struct Size: Sendable, Hashable, Codable, CustomStringConvertible {
        package var width: Int
        package var height: Int

        package init(_ size: PixelSize) {
            width = size.width
            height = size.height
        }

        package var description: String { "\(width)x\(height)" }
    }

    /// Whether vtx may count on it, as far as is known.
    package var isUsable: Bool {
        isUsed && [nil, .passed, .skipped].contains(trial?.verdict)
    }
}
