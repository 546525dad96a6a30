package import VTXFFmpeg
package import VTXMedia

/// A finished stream, ready for a container.
package struct EncodedStream: Sendable {
    package var description: OutputStreamDescription
    package var packets: [Packet]

    package init(description: OutputStreamDescription, packets: [Packet]) {
        self.description = description
        self.packets = packets
    }

    /// Seconds to add to every time.
    package func shifted(by seconds: Double) -> EncodedStream {
        for packet in packets {
            packet.shift(by: MediaTime(seconds: seconds).rescaled(to: packet.timeBase).ticks)
        }
        return self
    }

    /// Moves only presentation times ahead.
    func mislead(_ range: Range<Int>, by seconds: Double) {
        for packet in packets[range] {
            let ticks = MediaTime(seconds: seconds).rescaled(to: packet.timeBase).ticks
            packet.pts = packet.pts.map { $0 + ticks }
        }
    }
}

// MARK: Video

extension VideoRecipe {
    package var encoderTimeBase: Rational { timeBase ?? frameRate.reciprocal }

    /// The frames before encoding, with their final times.
    package func makeFrames() throws -> [Frame] {
        let count = times?.count ?? frameCount
        let source = picture + (picture.contains("=") ? ":" : "=") + "size=\(size):rate=\(frameRate)"
        let aspect = sampleAspectRatio.isPositive ? ",setsar=\(sampleAspectRatio)" : ""
        let extra = filters.isEmpty ? "" : "," + filters
        let graph = try FilterGraph(generating: "\(source)\(extra),format=\(pixelFormat)\(aspect)")
        var frames: [Frame] = []
        while frames.count < count, case .unit(let frame) = try graph.receive() {
            frame.rescale(to: encoderTimeBase)
            frame.pts =
                times?[frames.count]
                ?? MediaTime.rescale(
                    Int64(frames.count), from: frameRate.reciprocal, to: encoderTimeBase)
            frame.color = color
            frames.append(frame)
        }
        return frames
    }

    /// - Parameter globalHeader: parameter sets go into the container's header.
    package func encode(globalHeader: Bool) throws -> EncodedStream {
        try EncodedStreams.stream(of: self, globalHeader: globalHeader) { try encoded(globalHeader: globalHeader) }
    }

    private func encoded(globalHeader: Bool) throws -> EncodedStream {
        let context = try EncoderContext(video: settings(globalHeader: globalHeader))
        guard context.unknownOptions.isEmpty else {
            throw RecipeError("no options \(context.unknownOptions)")
        }
        var packets: [Packet] = []
        for frame in try makeFrames() {
            frame.setPictureType(isForcedKey: false)
            try context.send(frame)
            try context.drain(into: &packets)
        }
        try context.send(nil)
        try context.drain(into: &packets)
        return EncodedStream(description: describe(context), packets: packets)
    }

    private func settings(globalHeader: Bool) throws -> VideoEncoderSettings {
        guard let format = PixelFormat(named: pixelFormat) else {
            throw RecipeError("no format \(pixelFormat)")
        }
        var settings = VideoEncoderSettings(
            codecName: encoder, size: size, pixelFormat: format, timeBase: encoderTimeBase,
            frameRate: frameRate,
            maxKeyFrameInterval: keyFrameInterval, usesGlobalHeader: globalHeader)
        settings.sampleAspectRatio = sampleAspectRatio
        settings.color = color
        settings.bitrate = bitrate
        settings.maxBFrames = bFrames
        settings.threads = 1
        settings.options = options
        return settings
    }

    private func describe(_ context: EncoderContext) -> OutputStreamDescription {
        var description = OutputStreamDescription(parameters: context.parameters, timeBase: encoderTimeBase)
        description.frameRate = times == nil ? frameRate : Rational(0, 1)
        description.sampleAspectRatio = sampleAspectRatio
        description.color = color
        description.displayMatrix = displayMatrix
        description.projection = projection
        description.hdrMetadata = hdrMetadata
        description.disposition = disposition
        description.metadata = metadata
        return description
    }
}

extension EncoderContext {
    func drain(into packets: inout [Packet]) throws {
        while case .unit(let packet) = try receive() {
            // Most encoders do not set the duration; containers derive it from the next packet.
            packets.append(packet)
        }
    }
}

/// A recipe that cannot be made.
package struct RecipeError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
