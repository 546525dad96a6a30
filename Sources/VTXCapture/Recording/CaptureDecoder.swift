package import VTXFFmpeg
package import VTXMedia
package import VTXTask

/// Converts a camera's output to frames.
///
/// Unchecked: one thread at a time calls it.
package final class CaptureDecoder: @unchecked Sendable {
    private let format: CaptureFormat
    /// nil for uncompressed frames.
    private let decoder: DecoderContext?
    /// The number of frames that could not be decoded.
    package private(set) var damagedCount = 0

    package init(_ format: CaptureFormat) throws(TranscodeError) {
        self.format = format
        guard let name = format.codecName else {
            decoder = nil
            return
        }
        do throws(FFmpegError) {
            let parameters = try CodecParameters(selfContained: name, size: format.size)
            decoder = try DecoderContext(InputStream(parameters, timeBase: MediaTime.microseconds), threads: 1)
        } catch {
            throw TranscodeError(.inputCodec, "this build of FFmpeg does not decode \(format.name): \(error)")
        }
    }

    /// Returns the frame with its timestamp.
    ///
    /// - Returns: the frame; nil if it cannot be decoded. The recording continues.
    package func frame(of item: CaptureReader.Item) -> Frame? {
        guard let frame = frame(of: item.picture.content) else {
            damagedCount += 1
            return nil
        }
        frame.setTimes(pts: item.ticks, duration: format.frameTicks, timeBase: CaptureTimeline.timeBase)
        frame.color = format.color
        frame.setPictureType(isForcedKey: false)
        return frame
    }

    private func frame(of content: CapturedPicture.Content) -> Frame? {
        switch content {
        case .frame(let frame): return frame
        case .damaged: return nil
        case .coded(let packet):
            guard let decoder, (try? decoder.send(packet)) != nil,
                case .unit(let frame)? = try? decoder.receive(), !frame.isCorrupt
            else { return nil }
            frame.normalizeFullRangeFormat()
            return frame
        }
    }
}

extension CaptureFormat {
    /// The color description of the output. Players expect broadcast colors, not a camera's full range.
    package var encodedColor: ColorDescription {
        var color = color
        color.isFullRange = false
        return color
    }

    /// The frame size of the output: 4:2:0 has no odd sides.
    package var encodedSize: PixelSize { size.roundedDownToEven }

    /// The duration of a frame, in ticks of `CaptureTimeline.timeBase`.
    var frameTicks: Int64 { max(1, MediaTime.rescale(1, from: frameRate.reciprocal, to: CaptureTimeline.timeBase)) }
}
