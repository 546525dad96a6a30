import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTranscode

/// The shared state of a writer and its inputs.
final class WriterCore: Sendable {
    private let queue = SessionQueue(label: "vtx.writer")
    private let state: Locked<WriterState>
    /// Callers that wait for room.
    private let waiting = Locked<[CheckedContinuation<Void, Never>]>([])

    init(_ path: String, _ container: Container, _ configuration: SampleWriterConfiguration) throws(TranscodeError) {
        state = Locked(try WriterState(path, container, configuration))
    }

    func addTrack(_ track: OutputTrack) throws(MediaFileError) -> Int {
        try state.withLock { state throws(MediaFileError) in try state.add(track) }
    }

    func append(_ sample: TrackSample, to index: Int) async throws(MediaFileError) {
        await waitForRoom(index)
        try await work { state throws(MediaFileError) in try state.append(sample, to: index) }
    }

    func finish() async throws(MediaFileError) {
        try await work { state throws(MediaFileError) in try state.finish() }
    }

    func end(_ index: Int) {
        queue.async { [self] in
            // Errors are reported with the next sample, or when the writer finishes.
            state.withLock { state in try? state.end(index) }
            wake()
        }
    }

    func cancel() {
        state.withLock { $0.cancel() }
        wake()
    }

    private func work(
        _ body: @escaping @Sendable (inout WriterState) throws(MediaFileError) -> Void
    ) async throws(MediaFileError) {
        let result = await queue.run { [state] in
            Result { () throws(MediaFileError) in
                try state.withLock { state throws(MediaFileError) in try body(&state) }
            }
        }
        wake()
        try result.get()
    }

    /// Returns when there is room or the task is cancelled; then the sample is accepted regardless.
    private func waitForRoom(_ index: Int) async {
        while !Task.isCancelled, state.withLock({ $0.isFull(for: index) }) {
            await withTaskCancellationHandler {
                await withCheckedContinuation { wait($0, index) }
            } onCancel: {
                wake()
            }
        }
    }

    private func wait(_ continuation: CheckedContinuation<Void, Never>, _ index: Int) {
        waiting.withLock { $0.append(continuation) }
        // Asked after it can be woken: what makes room later finds it.
        if Task.isCancelled || !state.withLock({ $0.isFull(for: index) }) { wake() }
    }

    private func wake() {
        let woken = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for continuation in woken { continuation.resume() }
    }
}

/// The state of an output file: its tracks, the samples waiting to be interleaved, and the muxer, which starts when
/// every track has a sample or has ended.
struct WriterState {
    private let path: String
    private let container: Container
    private let configuration: SampleWriterConfiguration
    private let file: AtomicFile
    private var tracks: [OutputTrack] = []
    private var interleaver: SampleInterleaver<Packet>
    private var muxer: Muxer?
    /// The stream index in the file; nil for a track without a sample.
    private var streams: [Int?] = []
    private var hasSamples = false
    /// The error that ended the writer; nil while it can write.
    private var ending: MediaFileError?

    init(_ path: String, _ container: Container, _ configuration: SampleWriterConfiguration) throws(TranscodeError) {
        (self.path, self.container, self.configuration) = (path, container, configuration)
        interleaver = SampleInterleaver(byteLimit: configuration.byteLimit)
        file = try reportingOutputErrors { () throws(AtomicFileError) in
            _ = try AtomicFile.isWanted(path, configuration.replacesExisting ? .replace : .refuse)
            return try AtomicFile.reserve(path, replaces: configuration.replacesExisting)
        }
    }

    mutating func add(_ track: OutputTrack) throws(MediaFileError) -> Int {
        if let ending { throw ending }
        guard !hasSamples else {
            throw MediaFileError(.sessionInvalidSession, "inputs are added before the first sample is appended")
        }
        tracks.append(track)
        interleaver.addTrack(isAwaited: track.isAwaited)
        return tracks.count - 1
    }

    func isFull(for index: Int) -> Bool { ending == nil && interleaver.isFull(for: index) }

    mutating func append(_ sample: TrackSample, to index: Int) throws(MediaFileError) {
        if let ending { throw ending }
        guard !tracks[index].hasEnded else {
            throw MediaFileError(.sessionInvalidSession, "the input has finished")
        }
        let packet = try tracks[index].packet(of: sample, configuration)
        hasSamples = true
        interleaver.put(packet, at: sample.decodingTime.seconds, byteCount: packet.byteCount, in: index)
        try writeReady()
    }

    mutating func end(_ index: Int) throws(MediaFileError) {
        tracks[index].hasEnded = true
        interleaver.end(index)
        if ending == nil { try writeReady() }
    }

    mutating func finish() throws(MediaFileError) {
        if let ending { throw ending }
        for index in tracks.indices { try end(index) }
        try attempt { state throws(TranscodeError) in
            guard let muxer = state.muxer else {
                throw TranscodeError(.inputNoFrames, "no sample was appended to '\(state.path)'")
            }
            do throws(FFmpegError) { try muxer.finish() } catch { throw TranscodeError(error, writing: state.path) }
            try reportingOutputErrors { () throws(AtomicFileError) in
                try state.file.synchronize()
                try state.file.commit()
            }
        }
        muxer = nil
        ending = MediaFileError(.sessionInvalidSession, "the writer has finished")
    }

    mutating func cancel() {
        guard ending == nil else { return }
        fail(MediaFileError(.sessionInvalidSession, "the writer has been cancelled"))
    }

    private mutating func fail(_ error: MediaFileError) {
        (ending, muxer) = (error, nil)
        interleaver = SampleInterleaver(byteLimit: 0)
        tracks.indices.forEach { interleaver.addTrack(isAwaited: tracks[$0].isAwaited) }
        file.discard()
    }

    /// Any error ends the writer.
    private mutating func attempt(
        _ body: (inout WriterState) throws(TranscodeError) -> Void
    ) throws(MediaFileError) {
        do throws(TranscodeError) { try body(&self) } catch {
            fail(MediaFileError(error))
            throw MediaFileError(error)
        }
    }

    private mutating func writeReady() throws(MediaFileError) {
        try attempt { state throws(TranscodeError) in
            do throws(FFmpegError) {
                while let (track, packet) = state.interleaver.next() {
                    let muxer = try state.startedMuxer()
                    if let stream = state.streams[track] { try muxer.write(packet, to: stream) }
                }
            } catch { throw TranscodeError(error, writing: state.path) }
        }
    }

    private mutating func startedMuxer() throws(FFmpegError) -> Muxer {
        if let muxer { return muxer }
        let made = try Muxer(path: file.openedPath, format: container.muxerName)
        var timeBase = Rational(1, 1000)
        streams = []
        for track in tracks {
            guard track.hasSamples, let description = track.description else {
                streams.append(nil)
                continue
            }
            if description.parameters.kind == .video { timeBase = description.timeBase }
            streams.append(try made.addStream(description))
        }
        try made.writeHeader(
            options: MuxerOptions.all(
                for: container, timeBase: timeBase, isFragmented: configuration.isFragmented, path: path))
        muxer = made
        return made
    }
}
