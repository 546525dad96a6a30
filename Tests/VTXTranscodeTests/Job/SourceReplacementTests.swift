import Glibc
import Testing
import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("An output that replaces its source")
struct SourceReplacementTests {
    private let clip: SourceClip

    init() throws { clip = try SourceClip(frames: 12, audio: nil) }

    private func replace(
        _ source: String? = nil, backend: any VideoBackend = SoftwareBackend(),
        _ change: (inout TranscodeRequest) -> Void = { _ in },
        report: @escaping @Sendable (TranscodeEvent) -> Void = { _ in }
    ) throws(TranscodeError) -> TranscodeResult {
        var request = TranscodeRequest(input: source ?? clip.path)
        (request.replacesSource, request.codec, request.preset) = (true, .h264, .fast)
        (request.hardware, request.journal, request.skippedCodecs) = (.off, JournalRequest(), .nothing)
        change(&request)
        return try TranscodeJob(request, backends: [backend], cancellation: Cancellation(), report: report).run()
    }

    private func move(to name: String) throws -> String {
        let path = clip.directory.file(name)
        try #require(rename(clip.path, path) == 0)
        return path
    }

    private func codec(of path: String) throws -> String { try MediaFile(path).streams[0].codecName }

    @Test("has its owner, permissions, times and extended attributes, and leaves nothing else")
    func attributes() throws {
        let time = [timespec(tv_sec: 1_000_000_000, tv_nsec: 5), timespec(tv_sec: 1_100_000_000, tv_nsec: 7)]
        #expect(chmod(clip.path, 0o640) == 0 && utimensat(AT_FDCWD, clip.path, time, 0) == 0)
        let before = try FileAttributes(of: clip.path)
        let result = try replace()
        #expect(result.output == clip.path && result.frames == 12)
        let after = try #require(FileStatus(clip.path))
        #expect(after.permissions == 0o640 && after.modificationTime == 1_100_000_000_000_000_007)
        #expect(try codec(of: clip.path) == "h264" && clip.directory.names == ["in.mkv"])
        withExtendedLifetime(before) {}
    }

    @Test("has another extension if the source's container cannot be written")
    func otherExtension() throws {
        let source = try move(to: "in.dat")
        #expect(try replace(source).output == clip.directory.file("in.mp4"))
        #expect(clip.directory.names == ["in.mp4"])
    }

    @Test("a symbolic link is followed, and refused if it would be broken")
    func symbolicLink() throws {
        try #require(symlink("in.mkv", clip.directory.file("link.mkv")) == 0)
        #expect(try replace(clip.directory.file("link.mkv")).output.hasSuffix("/in.mkv"))
        #expect(clip.directory.names == ["in.mkv", "link.mkv"] && FileIdentity(clip.directory.file("link.mkv")) != nil)
        _ = try move(to: "in.dat")
        try #require(symlink("in.dat", clip.directory.file("link.dat")) == 0)
        let error = #expect(throws: TranscodeError.self) { try replace(clip.directory.file("link.dat")) }
        #expect(error?.kind == .outputNotReplaced && FileStatus(clip.directory.file("in.dat")) != nil)
    }

    /// - Returns: false if this user may not, or the file system has no flags.
    private func set(_ flags: InodeFlags, of path: String) throws -> Bool {
        let file = try FileDescriptor(opening: path)
        var flags = UInt(flags.rawValue)
        // FS_IOC_SETFLAGS
        return ioctl(file.number, 0x4008_6602, &flags) == 0
    }

    @Test("an immutable file or directory is refused before the work", arguments: [true, false])
    func protected(isDirectory: Bool) throws {
        let path = isDirectory ? clip.directory.path : clip.path
        for (flags, words) in [(InodeFlags.immutable, "immutable"), (.appendOnly, "append-only")] {
            guard try set(flags, of: path) else { return }
            defer { _ = try? set([], of: path) }
            let error = #expect(throws: TranscodeError.self) { try replace { $0.target = QualityTarget(.ssim, 0.9) } }
            #expect(error?.kind == .outputNotReplaced && error?.message.contains(words) == true)
        }
        #expect(clip.directory.names == ["in.mkv"])
    }

    @Test("a file with hard links, or whose new name exists, is refused before the work, and unchanged")
    func refused() throws {
        let before = try SourceIdentity(of: clip.path)
        try #require(link(clip.path, clip.directory.file("other.mkv")) == 0)
        #expect(#expect(throws: TranscodeError.self) { try replace() }?.kind == .outputNotReplaced)
        unlink(clip.directory.file("other.mkv"))
        let source = try move(to: "in.dat")
        try Files.write("another", to: clip.directory.file("in.mp4"))
        #expect(#expect(throws: TranscodeError.self) { try replace(source) }?.kind == .outputExists)
        #expect(try SourceIdentity(of: source) == before && clip.directory.names == ["in.dat", "in.mp4"])
    }

    @Test("a file that is put in the source's place while that is planned stays", arguments: ["in.mkv", "in.dat"])
    func exchanged(name: String) throws {
        let source = name == "in.mkv" ? clip.path : try move(to: name)
        let better = clip.directory.file("better")
        try Files.write("better", to: better)
        let error = #expect(throws: TranscodeError.self) {
            try replace(
                source,
                report: { event in
                    if case .planned = event { rename(better, source) }
                })
        }
        #expect(error?.kind == .inputChanged)
        #expect(TextFile.read(source) == "better" && clip.directory.names == [name])
    }

    @Test("a source that is removed last stays if another file has its name by then")
    func exchangedLast() throws {
        let (source, output) = (try move(to: "in.dat"), clip.directory.file("in.mp4"))
        let replacement = try SourceReplacement(source, at: source, by: output)
        try Files.write("the output", to: output)
        try Files.write("another", to: source)
        #expect(try !replacement.removeSource())
        #expect(clip.directory.names == ["in.dat", "in.mp4"])
    }

    @Test("one that has the codec already is skipped, unless the bit rate would change too")
    func skipped() throws {
        let before = try SourceIdentity(of: clip.path)
        let result = try replace { $0.skippedCodecs = nil }
        #expect(
            result.outcome == .skipped && result.reason == "the video is H.264 already" && result.output == clip.path)
        #expect(try SourceIdentity(of: clip.path) == before)
        let smaller = try replace { ($0.skippedCodecs, $0.bitrate) = (nil, 100_000) }
        #expect(smaller.outcome == .completed)
    }

    @Test("a failed verification keeps the source")
    func failedCheck() throws {
        let before = try SourceIdentity(of: clip.path)
        let gpu = FakeBackend(Set(VideoStage.allCases))
        let error = #expect(throws: TranscodeError.self) { try replace(backend: gpu) { $0.hardware = .require } }
        #expect(error?.category == .verification)
        #expect(try SourceIdentity(of: clip.path) == before && clip.directory.names == ["in.mkv"])
    }

    // MARK: Killed when the output was in place

    /// As if a run that has replaced `in.dat` by `in.mp4` had been killed.
    private func leave(command: [String] = ["in.dat"], source: String) throws -> JournalRequest {
        var request = JournalRequest()
        request.command = command
        let output = clip.directory.file("in.mp4")
        try Files.write("the output", to: output)
        let journal = try JournalDirectory.open(request.path(for: output))
        try JournalCompletion(
            output: try SourceIdentity(of: output), source: try SourceIdentity(of: clip.path), input: clip.path,
            replacedSource: source, command: request.command, workingDirectory: request.workingDirectory
        ).write(to: journal)
        return request
    }

    @Test("the same command removes leftovers, but not a changed source", arguments: [false, true])
    func finished(changes: Bool) throws {
        let output = clip.directory.file("in.mp4")
        let request = try leave(source: clip.path)
        if changes { try Files.write("changed", to: clip.path) }
        #expect(try FinishedTranscode(output, request)?.finish(request)?.code == "journal.finished")
        #expect(clip.directory.names == (changes ? ["in.mkv", "in.mp4"] : ["in.mp4"]))
    }

    @Test("a source that cannot be removed is an error, and the next run tries again")
    func notRemoved() throws {
        let output = clip.directory.file("in.mp4")
        let request = try leave(source: clip.path)
        guard try set(.immutable, of: clip.path) else { return }
        let error = #expect(throws: TranscodeError.self) { try FinishedTranscode(output, request)?.finish(request) }
        _ = try set([], of: clip.path)
        #expect(error?.kind == .outputNotReplaced)
        #expect(error?.message.contains("in.mp4' is complete and in place") == true)
        #expect(try FinishedTranscode(output, request)?.finish(request)?.code == "journal.finished")
        #expect(clip.directory.names == ["in.mp4"])
    }

    @Test("another command is a new job, which finds no leftover; so is a changed output, with a source that stays")
    func notFinished() throws {
        let output = clip.directory.file("in.mp4")
        var request = try leave(source: clip.path)
        try Files.write("another output", to: output)
        #expect(FinishedTranscode(output, request) == nil)
        #expect(clip.directory.names.filter { !$0.hasPrefix(".") } == ["in.mkv", "in.mp4"])
        request = try leave(source: clip.path)
        request.command = ["else"]
        #expect(try FinishedTranscode(output, request)?.finish(request) == nil)
        #expect(clip.directory.names == ["in.mp4"])
    }

    @Test("another command that would replace a source that is gone has nothing left to do")
    func gone() throws {
        let output = clip.directory.file("in.mp4")
        var request = try leave(source: clip.path)
        request.command = ["else"]
        let notice = try FinishedTranscode(output, request)?.finish(request, replacing: clip.path)
        #expect(notice?.code == "journal.finished" && clip.directory.names == ["in.mp4"])
    }
}
