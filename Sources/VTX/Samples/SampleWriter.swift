public import VTXMedia
import VTXSystem
import VTXTask
import VTXTranscode

/// Writes coded samples into a file: MP4, fragmented or not, QuickTime, Matroska or MPEG-TS (AVFoundation:
/// `AVAssetWriter`).
///
///     let writer = try SampleWriter("out.mp4")
///     let video = try writer.addInput()
///     for try await sample in encoder.samples { try await video.append(sample) }
///     try await writer.finish()
///
/// The file has its name when ``finish()`` returns; until then another file of that name stays as it is. Nothing is left
/// of a writer that is cancelled, fails, or is released before.
public final class SampleWriter: Sendable {
    public let path: String
    /// As the name's extension says.
    public let container: Container
    private let core: WriterCore

    /// Opens a file beside the one that is to be.
    ///
    /// - Parameters:
    ///   - path: ends in `.mp4`, `.m4v`, `.mov`, `.mkv` or `.ts`.
    ///   - configuration: how to write it.
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

    /// Adds a track for the samples of a ``CompressionSession``. Its size, its colors and its parameter sets come with
    /// the first sample.
    ///
    /// - Throws: ``MediaFileError``: `session.invalidSession` once a sample has been appended.
    public func addInput(
        _ configuration: VideoInputConfiguration = VideoInputConfiguration()
    ) throws(MediaFileError) -> SampleWriterInput {
        SampleWriterInput(core, try core.addTrack(OutputTrack(configuration, in: container)))
    }

    /// Adds a track for the samples of another file's, as they are: video, audio, subtitles or data. MP4 and QuickTime alone
    /// keep the turn of video, and the edit list of what comes before the start.
    ///
    /// - Throws: ``MediaFileError``: `output.codec` where the container does not hold them, `session.invalidSession`.
    public func addInput(like track: MediaTrack) throws(MediaFileError) -> SampleWriterInput {
        SampleWriterInput(core, try core.addTrack(try OutputTrack(like: track, in: container)))
    }

    /// Writes what waits and the file's index, and gives the file its name (`finishWriting`).
    ///
    /// - Throws: ``MediaFileError``: `input.noFrames` where no sample was appended, `output.exists` where the name was
    ///   taken in the meantime, `output.noSpace`, `output.write`, or why the writer has failed before; nothing is left
    ///   of the file then.
    public func finish() async throws(MediaFileError) { try await core.finish() }

    /// `finish()` for a plain thread.
    @available(*, noasync, message: "in a task, use await")
    public func finishAndWait() throws(MediaFileError) {
        try waitForTask { () async throws(MediaFileError) in try await self.finish() }
    }

    /// Ends the writer; nothing is left of the file (`cancelWriting`). What waits to be appended throws
    /// `session.invalidSession`.
    public func cancel() { core.cancel() }
}

/// A track of a file that is written (AVFoundation: `AVAssetWriterInput`).
///
/// Tracks are interleaved in the order of decoding. `append` waits while 32 MiB wait for a sample of another
/// track, so tracks are appended by tasks of their own, or in the order of their times by one. An input that is released
/// has finished.
public final class SampleWriterInput: Sendable {
    private let core: WriterCore
    private let index: Int

    init(_ core: WriterCore, _ index: Int) { (self.core, self.index) = (core, index) }

    deinit { core.end(index) }

    /// Appends a sample of a ``CompressionSession``; returns when it is written, or waits for another track's.
    ///
    /// - Throws: ``MediaFileError``. The sample is not taken, and others may follow: `session.badParameter` for a
    ///   decoding time that does not rise, or is later than the sample is shown; `input.parameterSets` where there is no
    ///   PPS (or VPS); `parameterSets.change` for another size, codec, or other parameter sets than the file's header
    ///   has, see ``SampleWriterConfiguration/repeatsParameterSets``; `output.codec`; `output.editList` where the
    ///   container cannot hide what comes before the start. A hidden frame after others is shown: no container hides it. The writer ends: `output.noSpace`, `output.write`,
    ///   `session.invalidSession`.
    public func append(_ sample: Sample) async throws(MediaFileError) {
        try await core.append(TrackSample(sample, track: index), to: index)
    }

    /// Appends a sample of another file's track.
    ///
    /// - Throws: the same.
    public func append(_ sample: TrackSample) async throws(MediaFileError) { try await core.append(sample, to: index) }

    /// `append` for a plain thread, or a session's handler.
    @available(*, noasync, message: "in a task, use await")
    public func appendAndWait(_ sample: Sample) throws(MediaFileError) {
        try waitForTask { () async throws(MediaFileError) in try await self.append(sample) }
    }

    /// The same for a sample of another file's track.
    @available(*, noasync, message: "in a task, use await")
    public func appendAndWait(_ sample: TrackSample) throws(MediaFileError) {
        try waitForTask { () async throws(MediaFileError) in try await self.append(sample) }
    }

    /// No more samples come (`markAsFinished`): the other tracks wait for it no longer.
    public func finish() { core.end(index) }
}

/// How a ``SampleWriter`` writes.
public struct SampleWriterConfiguration: Sendable, Hashable {
    /// Whether a file that has the name already is replaced when the new one is whole.
    public var replacesExisting = false
    /// MP4 or QuickTime in fragments, one for each key frame, without one index for the whole file
    /// (`movieFragmentInterval`).
    public var isFragmented = false
    /// The samples' time at which the file begins (`startSession(atSourceTime:)`). MP4 and QuickTime hide what is before it.
    public var startTime = MediaTime.zero
    /// Every key frame brings its parameter sets, so that they may change, as they do where one encoder takes over from
    /// another. In MP4 and QuickTime the sample entry is `avc3` or `hev1` then, which not every player takes. In MPEG-TS it
    /// is always so.
    public var repeatsParameterSets = false
    /// How much of the other tracks may wait for a sample of one.
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

/// What a file says of a track that an encoder makes.
public struct VideoInputConfiguration: Sendable, Hashable {
    /// Units in a second, in which MP4 and QuickTime count; nil for that of the first sample's time (`mediaTimeScale`).
    public var timescale: Int32?
    /// How players turn the pictures; nil for as they are (`transform`). MP4 and QuickTime hold it.
    public var displayMatrix: DisplayMatrix?
    /// Of HDR10, for containers that hold it beside the stream.
    public var hdrMetadata = HDRMetadata()
    /// By ISO 639-2's code: `eng` (`languageCode`).
    public var language: String?

    public init() {}

    /// The same as another file's track says.
    public init(like track: MediaTrack) {
        (displayMatrix, hdrMetadata, language) = (track.displayMatrix, track.hdrMetadata, track.language)
    }
}
