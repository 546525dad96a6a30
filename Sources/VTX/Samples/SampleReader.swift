import VTXFFmpeg
public import VTXMedia
import VTXSystem
import VTXTask
import VTXTranscode

/// A reader of the coded samples of a file: MP4, QuickTime, Matroska, MPEG-TS or any other container that libavformat
/// demuxes (AVFoundation: `AVAssetReader`).
///
///     let reader = try SampleReader("in.mp4")
///     guard let track = reader.tracks(.video).first, let codec = track.codec else { return }
///     let decoder = try DecompressionSession(VideoDecoderConfiguration(codec: codec))
///     async let shown: Void = { for try await frame in decoder.frames { show(frame) } }()
///     for try await sample in reader.samples(of: track) { try await decoder.decode(sample) }
///     try await decoder.flush()
///     decoder.invalidate()
///     try await shown
///
/// Each loop and each cursor reads the file from the beginning and holds one sample at a time.
public final class SampleReader: Sendable {
    public let path: String
    /// The tracks, in the order of the file.
    public let tracks: [MediaTrack]
    /// The duration that the container declares; nil if it declares none.
    public let duration: MediaTime?
    /// The libavformat name of the container: `mov,mp4,m4a,3gp,3g2,mj2`.
    public let formatName: String
    private let file: OpenedFile

    /// Opens a file and reads its first packets.
    ///
    /// - Throws: ``MediaFileError``: `input.notFound`, `input.permission`, `input.notAFile`, `input.empty`,
    ///   `input.notMedia`, `input.noIndex`, `input.badIndex`; `input.byteStream` for H.264 and HEVC without a
    ///   container, which ``DecompressionSession/decode(stream:)-(RawSpan)`` accepts.
    public init(_ path: String) throws(MediaFileError) {
        _ = LibraryMessages.areQuietByDefault
        let (file, demuxer) = try OpenedFile.open(path)
        guard !demuxer.hasNoTimestamps, !demuxer.takesFrameRate else {
            throw MediaFileError(.inputByteStream, "'\(path)' is a byte stream without timestamps, not a container")
        }
        self.path = path
        self.file = file
        tracks = demuxer.streams.map(MediaTrack.init)
        (duration, formatName) = (demuxer.duration, demuxer.formatName)
    }

    /// Returns the tracks of a kind.
    public func tracks(_ kind: MediaTrack.Kind) -> [MediaTrack] { tracks.filter { $0.kind == kind } }

    /// Returns the frames of an H.264, HEVC or AV1 track in decoding order, for a ``DecompressionSession``.
    ///
    /// - Parameters:
    ///   - track: A track of this reader.
    ///   - range: The presentation times to read; nil for all. Frames outside the range that are needed for decoding,
    ///     from the previous key frame on, are marked ``Sample/isHidden``.
    /// - Returns: A sequence that throws ``MediaFileError``: `input.codec` for any other codec, `input.unreadable`,
    ///   `input.encrypted`, `input.record`, `input.noTimestamps`; after the last sample `source.truncated` if the file
    ///   is shorter than it declares.
    public func samples(of track: MediaTrack, in range: Range<MediaTime>? = nil) -> TrackSamples<Sample> {
        let path = path
        return TrackSamples(file, [track], range) { sample throws(MediaFileError) in
            guard let frame = sample.sample else {
                throw MediaFileError(
                    .inputCodec, "\(track) in '\(path)' cannot be decoded by a session: it is not H.264, HEVC or AV1")
            }
            return frame
        }
    }

    /// Returns the samples of one or more tracks of any codec, in the order of the file.
    ///
    /// - Parameters:
    ///   - tracks: Tracks of this reader.
    ///   - range: The presentation times to read; nil for all. Audio and subtitle samples outside the range are
    ///     omitted; video frames are marked ``Sample/isHidden`` as for a single track.
    /// - Returns: A sequence that throws the same errors, except `input.codec`.
    public func samples(of tracks: [MediaTrack], in range: Range<MediaTime>? = nil) -> TrackSamples<TrackSample> {
        TrackSamples(file, tracks, range) { sample throws(MediaFileError) in sample }
    }
}

/// A sequence of samples of a file: for a loop in a task, or through a cursor for a plain thread.
public struct TrackSamples<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = MediaFileError
    typealias Converter = @Sendable (TrackSample) throws(MediaFileError) -> Element

    private let file: OpenedFile
    private let tracks: [MediaTrack]
    private let range: Range<MediaTime>?
    private let convert: Converter

    init(
        _ file: OpenedFile, _ tracks: [MediaTrack], _ range: Range<MediaTime>?, _ convert: @escaping Converter
    ) {
        (self.file, self.tracks, self.range, self.convert) = (file, tracks, range, convert)
    }

    /// Creates a cursor at the beginning of the file.
    public func makeCursor() -> SampleCursor<Element> { SampleCursor(file, tracks, range, convert) }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(cursor: makeCursor()) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let cursor: SampleCursor<Element>

        public mutating func next() async throws(MediaFileError) -> Element? { try await cursor.nextInTask() }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(MediaFileError) -> Element? {
            try await cursor.nextInTask()
        }
    }
}

/// A position in the samples of a file (AVFoundation: `AVAssetReaderTrackOutput`).
public final class SampleCursor<Element: Sendable>: Sendable {
    private let queue = SessionQueue(label: "vtx.reader")
    private let reader: Locked<TrackReader>
    private let convert: TrackSamples<Element>.Converter

    init(
        _ file: OpenedFile, _ tracks: [MediaTrack], _ range: Range<MediaTime>?,
        _ convert: @escaping TrackSamples<Element>.Converter
    ) {
        reader = Locked(TrackReader(file, tracks, range))
        self.convert = convert
    }

    /// Reads the next sample; nil at the end (`copyNextSampleBuffer`). Blocks while reading.
    ///
    /// - Throws: ``MediaFileError``: the errors that `samples(of:in:)` of the ``SampleReader`` lists.
    @available(*, noasync, message: "in a task, use for try await")
    public func next() throws(MediaFileError) -> Element? { try read() }

    private func read() throws(MediaFileError) -> Element? {
        guard let sample = try reader.withLock({ reader throws(MediaFileError) in try reader.next() }) else {
            return nil
        }
        return try convert(sample)
    }

    fileprivate func nextInTask() async throws(MediaFileError) -> Element? {
        guard !Task.isCancelled else { return nil }
        return try await queue.run { Result { () throws(MediaFileError) in try self.read() } }.get()
    }
}
