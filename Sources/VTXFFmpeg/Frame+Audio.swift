import CFFmpeg
import VTXMedia

/// The format of audio samples. Frames with the same format can go through the same filters.
package struct AudioFormat: Sendable, Hashable {
    package var sampleRate: Int
    /// libavutil's number of the sample format (C: `AVSampleFormat`).
    var sampleFormat: Int32
    /// libavutil's description, for example `stereo`.
    package var channelLayout: String
    package var channelCount: Int
}

extension Frame {
    /// The audio format. Channels without a layout get the default one for their number, as in a filter graph.
    package var audioFormat: AudioFormat {
        var layout = AVChannelLayout()
        defer { av_channel_layout_uninit(&layout) }
        if pointer.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
            av_channel_layout_default(&layout, pointer.pointee.ch_layout.nb_channels)
        } else {
            av_channel_layout_copy(&layout, &pointer.pointee.ch_layout)
        }
        var text = [CChar](repeating: 0, count: 128)
        av_channel_layout_describe(&layout, &text, text.count)
        return AudioFormat(
            sampleRate: sampleRate, sampleFormat: pointer.pointee.format, channelLayout: String(nullTerminated: text),
            channelCount: Int(layout.nb_channels))
    }

    /// The duration of its samples, in seconds.
    var audioSeconds: Double { sampleRate > 0 ? Double(sampleCount) / Double(sampleRate) : 0 }

    /// Creates a frame of interleaved 16-bit samples in native byte order.
    ///
    /// - Parameter seconds: The time of the first sample.
    package convenience init(
        pcm bytes: [UInt8], sampleRate: Int, channelCount: Int, at seconds: Double
    ) throws(FFmpegError) {
        try self.init(timeBase: Rational(1, sampleRate))
        pointer.pointee.format = AV_SAMPLE_FMT_S16.rawValue
        pointer.pointee.sample_rate = Int32(clamping: sampleRate)
        pointer.pointee.nb_samples = Int32(clamping: bytes.count / (2 * channelCount))
        av_channel_layout_default(&pointer.pointee.ch_layout, Int32(clamping: channelCount))
        try check(av_frame_get_buffer(pointer, 0), "av_frame_get_buffer")
        let count = Int(pointer.pointee.nb_samples) * 2 * channelCount
        UnsafeMutableRawBufferPointer(start: pointer.data(plane: 0), count: count).copyBytes(from: bytes.prefix(count))
        pts = Int64((seconds * Double(sampleRate)).rounded())
    }

    /// Drops the samples outside a range of indices. The timestamp becomes that of the first remaining sample.
    func keepSamples(_ range: Range<Int>) throws(FFmpegError) {
        try check(av_frame_make_writable(pointer), "av_frame_make_writable")
        let channels = pointer.pointee.ch_layout.nb_channels
        let (first, count) = (Int32(range.lowerBound), Int32(range.count))
        if first > 0 {
            let (data, format) = (pointer.pointee.extended_data, AVSampleFormat(pointer.pointee.format))
            try check(av_samples_copy(data, data, 0, first, count, channels, format), "av_samples_copy")
        }
        pointer.pointee.nb_samples = count
        pts = pts.map { $0 + MediaTime.rescale(Int64(first), from: Rational(1, sampleRate), to: timeBase) }
    }
}
