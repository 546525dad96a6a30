public import VTXMedia
import VTXSystem
import VTXTask
import VTXTranscode

/// A writer of coded samples to a file: MP4, fragmented or not, QuickTime, Matroska or MPEG-TS (AVFoundation:
/// `AVAssetWriter`).
///
///     let writer = try SampleWriter("out.mp4")
///     let video = try writer.addInput()
///     for try await sample in encoder.samples { try await video.append(sample) }
///     try await writer.finish()
///
/// The file appears under its name when ``finish()`` returns; until then an existing file of that name stays unchanged.
/// A writer that fails, is cancelled or is released before that leaves no file.
public final class SampleWriter: Sendable {
    public let path: String
    /// The container, derived from the file extension.
    public let container: Container
    private let core: WriterCore

    /// Creates a temporary file next to the final one.
    ///
    /// - Parameters:
    ///   - path: A path with the extension `.mp4`, `.m4v`, `.mov`, `.mkv` or `.ts`.
    ///   - configuration: The settings of the file.
    /// - Throws: ``MediaFileError``: `output.extension`, `output.fragmented`, `output.exists`, `output.notAFile`,
    ///   `output.busy`, `output.notFound`, `output.permission`, `output.noSpace`.
    public init(
        _ path: String, _ configuration: SampleWriterConfiguration = SampleWriterConfiguration()
    ) throws(MediaFileError) {
        _ = LibraryMessages.areQuietByDefault
        self.path = path
        do throws(TranscodeError) {
            container = try configuration.container(of: path)
            core = try WriterCore(path, container, configuration)
        } catch { throw MediaFileError(error) }
    }

    deinit { core.cancel() }

    /// Adds a track for the samples of a ``CompressionSession``. Its size, colors and parameter sets come from the
    /// first sample.
    ///
    /// - Throws: ``MediaFileError``: `session.invalidSession` after the first sample has been appended.
    public func addInput(
        _ configuration: VideoInputConfiguration = VideoInputConfiguration()
    ) throws(MediaFileError) -> SampleWriterInput {
        SampleWriterInput(core, try core.addTrack(OutputTrack(configuration, in: container)))
    }

    /// Adds a track for the samples of another file's track, copied unchanged: video, audio, subtitles or data. Only
    /// MP4 and QuickTime keep the rotation of video, and the edit list that hides what precedes the start.
    ///
    /// - Throws: ``MediaFileError``: `output.codec` if the container does not support the codec;
    ///   `session.invalidSession`.
    public func addInput(like track: MediaTrack) throws(MediaFileError) -> SampleWriterInput {
        SampleWriterInput(core, try core.addTrack(try OutputTrack(like: track, in: container)))
    }

    /// Writes the remaining samples and the index, and moves the file to its final name (`finishWriting`). If it
    /// throws, no file remains.
    ///
    /// - Throws: ``MediaFileError``: `input.noFrames` if no sample was appended; `output.exists` if the name has been
    ///   taken meanwhile; `output.noSpace`; `output.write`; otherwise the error of an earlier failure.
    public func finish() async throws(MediaFileError) { try await core.finish() }

    /// Finishes the file from a plain thread, which blocks meanwhile. See ``finish()``.
    @available(*, noasync, message: "in a task, use await")
    public func finishAndWait() throws(MediaFileError) {
        try waitForTask { () async throws(MediaFileError) in try await self.finish() }
    }

    /// Ends the writer and deletes its file (`cancelWriting`). A waiting `append` throws `session.invalidSession`.
    public func cancel() { core.cancel() }
}

/// A track of an output file (AVFoundation: `AVAssetWriterInput`).
///
/// Tracks are interleaved in decoding order. `append` waits if 32 MiB are buffered because another track lacks a
/// sample: append to each track from its own task, or to all tracks in time order from one task. Releasing an input
/// finishes it.
public final class SampleWriterInput: Sendable {
    private let core: WriterCore
    private let index: Int

    init(_ core: WriterCore, _ index: Int) { (self.core, self.index) = (core, index) }

    deinit { core.end(index) }

    /// Appends a sample of a ``CompressionSession``. Returns when the sample is written or buffered for interleaving.
    ///
    /// - Throws: ``MediaFileError``. The following errors reject the sample, and others may follow:
    ///   `session.badParameter` if the decoding time does not increase or is later than the presentation time;
    ///   `input.parameterSets` if the PPS or VPS is missing; `parameterSets.change` if the codec, the size or the
    ///   parameter sets differ from the file's header (see ``SampleWriterConfiguration/repeatsParameterSets``);
    ///   `output.codec`; `output.editList` if the container cannot hide a frame that precedes the start, or for a
    ///   hidden frame at or after the start, before any shown frame. A hidden frame after a shown one is shown: no
    ///   container hides it. The following errors end the writer: `output.noSpace`, `output.write`,
    ///   `session.invalidSession`.
    public func append(_ sample: Sample) async throws(MediaFileError) {
        try await core.append(TrackSample(sample, track: index), to: index)
    }

    /// Appends a sample of another file's track.
    ///
    /// - Throws: the same as for a session's sample.
    public func append(_ sample: TrackSample) async throws(MediaFileError) { try await core.append(sample, to: index) }

    /// Appends a sample from a plain thread, which blocks meanwhile, or from a session's output handler.
    @available(*, noasync, message: "in a task, use await")
    public func appendAndWait(_ sample: Sample) throws(MediaFileError) {
        try waitForTask { () async throws(MediaFileError) in try await self.append(sample) }
    }

    /// Appends a sample of another file's track from a plain thread, which blocks meanwhile.
    @available(*, noasync, message: "in a task, use await")
    public func appendAndWait(_ sample: TrackSample) throws(MediaFileError) {
        try waitForTask { () async throws(MediaFileError) in try await self.append(sample) }
    }

    /// Marks the end of the track (`markAsFinished`): the other tracks no longer wait for it.
    public func finish() { core.end(index) }
}

/// The settings of a ``SampleWriter``.
public struct SampleWriterConfiguration: Sendable, Hashable {
    /// Whether to replace an existing file once the new one is complete.
    public var replacesExisting = false
    /// Whether to write fragmented MP4 or QuickTime, with one fragment per key frame and no index for the whole file
    /// (`movieFragmentInterval`).
    public var isFragmented = false
    /// The sample time at which the file begins (`startSession(atSourceTime:)`). MP4 and QuickTime hide what precedes
    /// it.
    public var startTime = MediaTime.zero
    /// Whether to repeat the parameter sets at every key frame, so that they may change, for example when one encoder
    /// takes over from another. In MP4 and QuickTime the sample entry is then `avc3` or `hev1`, which not every player
    /// supports. MPEG-TS always repeats them.
    public var repeatsParameterSets = false
    /// The size of the samples of other tracks that may be buffered while one track lacks a sample.
    var byteLimit = 32 << 20

    public init(replacesExisting: Bool = false, isFragmented: Bool = false) {
        self.replacesExisting = replacesExisting
        self.isFragmented = isFragmented
    }

    func container(of path: String) throws(TranscodeError) -> Container {
        let (allowed, pathExtension) = ([Container.mp4, .mov, .mkv, .ts], FileName.split(path).pathExtension)
        guard let container = Container(fileExtension: pathExtension), allowed.contains(container) else {
            throw .outputExtension(pathExtension, of: path, allowed: allowed)
        }
        guard !isFragmented || [.mp4, .mov].contains(container) else {
            throw TranscodeError(.outputFragmented, "\(container) has no fragments")
        }
        return container
    }
}

/// The metadata of a track whose samples come from an encoder.
public struct VideoInputConfiguration: Sendable, Hashable {
    /// The timescale in MP4 and QuickTime, in units per second; nil for that of the first sample's time
    /// (`mediaTimeScale`).
    public var timescale: Int32?
    /// The transformation that players apply to the video; nil for none (`transform`). Kept by MP4 and QuickTime.
    public var displayMatrix: DisplayMatrix?
    /// The static metadata of HDR10, for containers that store it beside the stream.
    public var hdrMetadata = HDRMetadata()
    /// The ISO 639-2 language code: `eng` (`languageCode`).
    public var language: String?

    public init() {}

    /// Copies the metadata of another file's track.
    public init(like track: MediaTrack) {
        (displayMatrix, hdrMetadata, language) = (track.displayMatrix, track.hdrMetadata, track.language)
    }
}
