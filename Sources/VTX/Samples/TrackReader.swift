import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTranscode

/// A file that has been recognized as media. The first reader takes over the demuxer that opened it.
final class OpenedFile: Sendable {
    let path: String
    let byteCount: Int64
    private let opened: Locked<Demuxer?>

    private init(_ path: String, _ byteCount: Int64, _ demuxer: Demuxer) {
        (self.path, self.byteCount) = (path, byteCount)
        opened = Locked(demuxer)
    }

    static func open(_ path: String) throws(MediaFileError) -> (OpenedFile, Demuxer) {
        do throws(TranscodeError) {
            let byteCount = try InputFile.check(path)
            let demuxer = try InputFile.open(path)
            return (OpenedFile(path, byteCount, demuxer), demuxer)
        } catch { throw MediaFileError(error) }
    }

    func demuxer() throws(MediaFileError) -> Demuxer {
        let first = opened.withLock { opened in
            defer { opened = nil }
            return opened
        }
        if let first { return first }
        do throws(TranscodeError) { return try InputFile.open(path) } catch { throw MediaFileError(error) }
    }
}

/// Reads the samples of some tracks of a file in sequence. Opens the file with the first one.
struct TrackReader {
    private let file: OpenedFile
    private let range: Range<MediaTime>?
    private var assemblers: [Int: SampleAssembler]
    /// nil before the first sample.
    private var source: Source?
    private var truncation: TruncationCheck?
    private var unreadableCount = 0
    private var isOver = false
    /// Samples shown after the range, which are needed only if a frame of the range follows in decoding order.
    private var held: [TrackSample] = []
    private var ready: ArraySlice<TrackSample> = []
    /// The number of consecutive read errors after which the file counts as unreadable.
    private static let maxErrors = 64

    init(_ file: OpenedFile, _ tracks: [MediaTrack], _ range: Range<MediaTime>?) {
        (self.file, self.range) = (file, range)
        assemblers = Dictionary(tracks.map { ($0.id, SampleAssembler($0, of: file.path)) }) { $1 }
    }

    /// nil at the end.
    mutating func next() throws(MediaFileError) -> TrackSample? {
        if let sample = ready.popFirst() { return sample }
        guard !isOver, !assemblers.isEmpty else { return nil }
        do throws(MediaFileError) {
            while !assemblers.isEmpty, let packet = try read() {
                truncation?.note(packet)
                if let sample = try take(packet), let first = release(sample) { return first }
            }
        } catch {
            isOver = true
            throw error
        }
        isOver = true
        if let error = failureAtEnd { throw error }
        return nil
    }

    private mutating func read() throws(MediaFileError) -> Packet? {
        let source = try opened()
        for _ in 0..<Self.maxErrors {
            do { return try source.read() } catch {
                guard error.isAboutData else { throw unreadable("\(error)") }
                unreadableCount += 1
            }
        }
        throw unreadable("nothing but errors after \(unreadableCount) packets")
    }

    private mutating func opened() throws(MediaFileError) -> Source {
        if let source { return source }
        let demuxer = try file.demuxer()
        let streams = demuxer.streams.filter { assemblers[$0.index] != nil }
        guard let first = streams.first(where: { $0.kind == .video && !$0.isCoverArt }) ?? streams.first else {
            throw unreadable("its tracks have changed")
        }
        let source = Source(path: file.path, byteCount: file.byteCount, demuxer: demuxer, video: first)
        truncation = TruncationCheck(source, isWhole: range == nil)
        if truncation == nil || !TruncationCheck.needsAllStreams(source) { source.keepOnly(Set(streams.map(\.index))) }
        demuxer.derivePresentationTimes()
        if let range { try seek(source, to: range.lowerBound) }
        self.source = source
        return source
    }

    private func seek(_ source: Source, to time: MediaTime) throws(MediaFileError) {
        do { try source.seek(to: time.rescaled(to: MediaTime.microseconds, rounding: .down)) } catch {
            throw unreadable("\(error)")
        }
    }

    private mutating func take(_ packet: Packet) throws(MediaFileError) -> TrackSample? {
        let index = packet.streamIndex
        guard let sample = try assemblers[index]?.sample(of: packet) else { return nil }
        guard let range else { return sample }
        // Nothing that is shown before the end is decoded after it.
        guard sample.decodingTime < range.upperBound else {
            assemblers[index] = nil
            return nil
        }
        return sample.placed(in: range, isVideo: source?.streams.first { $0.index == index }?.kind == .video)
    }

    /// - Returns: the first of the samples that are released; nil if this sample is held.
    private mutating func release(_ sample: TrackSample) -> TrackSample? {
        guard let range, sample.isHidden, sample.presentationTime >= range.upperBound else {
            ready = (held.filter { $0.track == sample.track } + [sample])[...]
            held.removeAll { $0.track == sample.track }
            return ready.popFirst()
        }
        held.append(sample)
        return nil
    }

    private var failureAtEnd: MediaFileError? {
        if let message = truncation?.message {
            return MediaFileError(
                code: NoticeKind.sourceTruncated.rawValue, message: "'\(file.path)': \(message)")
        }
        return unreadableCount == 0 ? nil : unreadable("\(unreadableCount) packets are damaged")
    }

    private func unreadable(_ reason: String) -> MediaFileError {
        MediaFileError(.inputUnreadable, "'\(file.path)' cannot be read: \(reason)")
    }
}

extension TrackSample {
    /// nil if nothing in the range needs the sample.
    fileprivate func placed(in range: Range<MediaTime>, isVideo: Bool) -> TrackSample? {
        if isVideo {
            var sample = self
            sample.isHidden = isHidden || !range.contains(presentationTime)
            return sample
        }
        let end = presentationTime + (duration ?? MediaTime(0, presentationTime.timeBase))
        return presentationTime < range.upperBound && max(end, presentationTime) > range.lowerBound
            || presentationTime == range.lowerBound ? self : nil
    }
}
