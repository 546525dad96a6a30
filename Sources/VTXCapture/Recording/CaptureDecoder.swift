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
    /// nil if each frame is independent.
    private var dependencies: CaptureDependencies?
    private var itemCount = 0
    private var frameCount = 0
    private var lastTicks: Int64 = -1

    package init(_ format: CaptureFormat) throws(TranscodeError) {
        self.format = format
        dependencies = format.codecName == "h264" ? CaptureDependencies() : nil
        guard let name = format.codecName else {
            decoder = nil
            return
        }
        do throws(FFmpegError) {
            let parameters = try CodecParameters(selfContained: name, size: format.size)
            decoder = try DecoderContext(InputStream(parameters, timeBase: CaptureTimeline.timeBase), threads: 1)
        } catch {
            throw TranscodeError(.inputCodec, "this build of FFmpeg does not decode \(format.name): \(error)")
        }
    }

    /// The number of frames that could not be decoded. Valid after `finish()`.
    package var damagedCount: Int { max(0, itemCount - frameCount) }

    /// Returns the frames that are complete, with their timestamps: none if the item cannot be decoded, or if the
    /// stream asks for a delay. The recording continues.
    package func frames(of item: CaptureReader.Item) -> [Frame] {
        itemCount += 1
        switch item.picture.content {
        case .damaged: return []
        case .coded(let packet): return decode(packet, item)
        case .frame(let frame):
            frame.pts = item.ticks
            frame.color = format.color
            return finished([frame])
        }
    }

    /// Returns the frames that the decoder has held back. Call it at the end.
    package func finish() -> [Frame] { send(nil) }

    private func decode(_ packet: Packet, _ item: CaptureReader.Item) -> [Frame] {
        packet.rescale(to: CaptureTimeline.timeBase)
        (packet.pts, packet.dts) = (item.ticks, item.ticks)
        packet.dependency = dependencies?.next(packet.bytes.bytes, index: item.index)
        return send(packet)
    }

    private func send(_ packet: Packet?) -> [Frame] {
        guard let decoder, (try? decoder.send(packet)) != nil else { return [] }
        var frames: [Frame] = []
        while case .unit(let frame)? = try? decoder.receive() {
            guard !frame.isCorrupt else { continue }
            frame.normalizeFullRangeFormat()
            frame.color = color(of: frame)
            frames.append(frame)
        }
        return finished(frames)
    }

    /// H.264 describes its own colors; the driver may not know them. JPEG has full range, whatever libavcodec reports.
    private func color(of frame: Frame) -> ColorDescription {
        dependencies == nil ? format.color : frame.color.filled(from: format.color)
    }

    private func finished(_ frames: [Frame]) -> [Frame] {
        frames.filter { frame in
            guard let ticks = frame.pts, ticks > lastTicks else { return false }
            frame.setTimes(pts: ticks, duration: format.frameTicks, timeBase: CaptureTimeline.timeBase)
            frame.setPictureType(isForcedKey: false)
            (lastTicks, frameCount) = (ticks, frameCount + 1)
            return true
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
