import CFFmpeg
import CVTXShims
import Glibc
package import VTXMedia

/// The properties of a stream in a container.
package struct OutputStreamDescription: Sendable {
    package var parameters: CodecParameters
    /// The time base of the packets; the container may choose another one for the file.
    package var timeBase: Rational
    /// The four-character code, packed as in the QuickTime family; 0 lets the container choose.
    package var codecTag: UInt32 = 0
    package var disposition: Disposition = []
    package var metadata: [MetadataEntry] = []
    package var frameRate = Rational(0, 1)
    package var sampleAspectRatio = Rational(0, 1)
    package var color: ColorDescription?
    package var displayMatrix: DisplayMatrix?
    package var projection: VideoProjection?
    package var hdrMetadata = HDRMetadata()
    /// nil if the packets have no Dolby Vision metadata.
    package var dolbyVision: DolbyVision?
    /// The number of samples before the first audible one; nil for the value in `parameters`.
    package var initialPadding: Int?
    /// The stream whose side data is copied, for streams that are passed through.
    package var sideDataSource: (demuxer: Demuxer, index: Int)?

    package init(parameters: CodecParameters, timeBase: Rational) {
        self.parameters = parameters
        self.timeBase = timeBase
    }

    /// Converts `hvc1` to the number that containers store.
    package static func tag(_ name: StaticString) -> UInt32 {
        name.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

extension UnsafeMutablePointer<AVStream> {
    func apply(_ description: OutputStreamDescription) {
        let parameters = pointee.codecpar!
        parameters.pointee.codec_tag = description.codecTag
        pointee.time_base = description.timeBase.avRational
        pointee.disposition = description.disposition.rawValue
        pointee.avg_frame_rate = description.frameRate.avRational
        if description.sampleAspectRatio.isPositive {
            pointee.sample_aspect_ratio = description.sampleAspectRatio.avRational
            parameters.pointee.sample_aspect_ratio = pointee.sample_aspect_ratio
        }
        if let color = description.color { parameters.apply(color) }
        if let padding = description.initialPadding { parameters.pointee.initial_padding = Int32(clamping: padding) }
        writeDictionary(&pointee.metadata, description.metadata)
    }

    func setSideData<Element>(
        _ type: AVPacketSideDataType, _ elements: [Element]?
    ) throws(FFmpegError) {
        guard let elements, !elements.isEmpty else { return }
        let size = elements.count * MemoryLayout<Element>.stride
        guard let target = vtx_stream_add_side_data(self, type, size) else {
            throw FFmpegError("av_stream_new_side_data", -ENOMEM)
        }
        elements.withUnsafeBytes { UnsafeMutableRawPointer(target).copyMemory(from: $0.baseAddress!, byteCount: size) }
    }
}

extension UnsafeMutablePointer<AVCodecParameters> {
    fileprivate func apply(_ color: ColorDescription) {
        pointee.color_primaries = color.avPrimaries
        pointee.color_trc = color.avTransfer
        pointee.color_space = color.avMatrix
        pointee.color_range = color.avRange
        pointee.chroma_location = color.avChromaLocation
    }
}

extension DolbyVision {
    /// A single layer with its metadata.
    var avRecord: AVDOVIDecoderConfigurationRecord {
        var record = AVDOVIDecoderConfigurationRecord()
        record.dv_version_major = 1
        record.dv_profile = UInt8(clamping: profile)
        record.dv_level = UInt8(clamping: level)
        record.dv_bl_signal_compatibility_id = UInt8(clamping: compatibility)
        (record.rpu_present_flag, record.bl_present_flag) = (1, 1)
        return record
    }
}
