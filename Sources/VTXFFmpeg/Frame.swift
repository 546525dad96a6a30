import CFFmpeg
import CVTXShims
package import VTXMedia

/// A decoded picture or a run of samples: a reference to counted buffers, in memory or on a surface (C: `AVFrame`).
///
/// Unchecked: a frame is handed on, never shared; a stage that has passed one on does not touch it again.
package final class Frame: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVFrame>
    /// The unit of `pts` and `duration`.
    package private(set) var timeBase: Rational
    /// As far as it is known: a decoder sets it.
    package internal(set) var damage = FrameDamage()

    package init(timeBase: Rational) throws(FFmpegError) {
        pointer = try require(av_frame_alloc(), "av_frame_alloc")
        self.timeBase = timeBase
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }
}

extension Frame {
    package var pts: Int64? {
        get { timestamp(pointer.pointee.pts) }
        set { pointer.pointee.pts = rawTimestamp(newValue) }
    }

    /// The decoder's guess from both timestamps of the packet (C: `best_effort_timestamp`).
    package var bestEffortTimestamp: Int64? { timestamp(pointer.pointee.best_effort_timestamp) }

    /// 0 where it is not known.
    package var duration: Int64 {
        get { VTXFFmpeg.duration(vtx_frame_duration(pointer)) }
        set { vtx_frame_set_duration(pointer, newValue) }
    }

    package var presentationTime: MediaTime? { pts.map { MediaTime($0, timeBase) } }
    package var sampleCount: Int { Int(pointer.pointee.nb_samples) }
    package var sampleRate: Int { Int(pointer.pointee.sample_rate) }
    package var isInterlaced: Bool { vtx_frame_is_interlaced(pointer) != 0 }
    /// The lower field is the earlier one.
    package var isBottomFieldFirst: Bool { vtx_frame_is_bottom_field_first(pointer) != 0 }

    /// The two fields have become one picture.
    package func declareProgressive() { vtx_frame_set_progressive(pointer) }

    /// Decoded from damaged data, or with pictures that are missing.
    package var isCorrupt: Bool {
        !damage.isEmpty || pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
            || pointer.pointee.decode_error_flags & FF_DECODE_ERROR_INVALID_BITSTREAM != 0
    }

    /// Counts the times in another unit from now on.
    package func rescale(to other: Rational) {
        pts = pts.map { MediaTime.rescale($0, from: timeBase, to: other) }
        duration = MediaTime.rescale(duration, from: timeBase, to: other)
        timeBase = other
    }

    /// Says what unit the times are in, without changing them.
    func declare(timeBase: Rational) { self.timeBase = timeBase }

    /// The decoder's picture type would force the encoder's; this leaves the choice to the encoder.
    package func setPictureType(isForcedKey: Bool) {
        pointer.pointee.pict_type = isForcedKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
    }

    /// Extra data that comes with the samples, by libavutil's name of the kind.
    package var sideDataKinds: [String] {
        (0..<Int(pointer.pointee.nb_side_data)).compactMap { index in
            pointer.pointee.side_data[index].flatMap {
                String(optional: av_frame_side_data_name($0.pointee.type))
            }
        }
    }

    func sideData(_ type: AVFrameSideDataType) -> UnsafePointer<UInt8>? {
        av_frame_get_side_data(pointer, type).flatMap { UnsafePointer($0.pointee.data) }
    }
}

/// What a run of samples is made of. Frames that agree in it can go through the same filters.
package struct AudioFormat: Sendable, Hashable {
    package var sampleRate: Int
    /// libavutil's number of it (C: `AVSampleFormat`).
    var sampleFormat: Int32
    /// libavutil's description, for example `stereo`.
    package var channelLayout: String
}

extension Frame {
    /// Channels without a layout count as the usual one for their number, as a filter graph takes them.
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
            sampleRate: sampleRate, sampleFormat: pointer.pointee.format, channelLayout: String(nullTerminated: text))
    }
}
