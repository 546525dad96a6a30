import Foundation
import Testing
import VTXBitstream
import VTXMedia
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("The listing of NAL units")
struct ListingTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func list(_ path: String) throws -> (stream: NALDump.Stream?, units: [NALUnitInfo]) {
        var (stream, units) = (NALDump.Stream?.none, [NALUnitInfo]())
        _ = try NALDump(input: path).run { event in
            switch event {
            case .stream(let found): stream = found
            case .unit(let unit): units.append(unit)
            case .notice(let notice): Issue.record("\(notice)")
            }
            return true
        }
        return (stream, units)
    }

    @Test("a byte stream's units have their offsets", arguments: ByteStreamRecipe.allCases)
    func byteStream(recipe: ByteStreamRecipe) throws {
        let (bytes, times) = try recipe.make()
        // The name says nothing.
        let path = directory.file("stream.mp4")
        try Files.write(bytes, to: path)
        let (stream, units) = try list(path)
        #expect(stream?.codec == recipe.codec && stream?.container == nil)
        let expected = AnnexB.units(in: bytes.span.bytes, codec: recipe.codec)
        #expect(units.map(\.place) == expected.map { .stream(offset: Int64($0.range.lowerBound), startCodeSize: 4) })
        #expect(units.map(\.size) == expected.map { Int64($0.range.count) })
        #expect(units.map(\.name) == expected.map { "\($0)" })
        #expect(units.allSatisfy { $0.problem == nil })
        #expect(units.last?.accessUnit == times.count - 1)
        #expect(units.count { $0.slice?.picOrderCnt != nil } == times.count)
        #expect(units.first { $0.slice != nil }?.isKeyFrame == true)
        let set = try #require(units.first { $0.name.hasPrefix("SPS") }?.parameterSet)
        #expect(set.width == 160 && set.height == 96 && set.bitDepth == 8 && set.frameRate == "25")
    }

    @Test("of an MP4, the offsets are those in the file", arguments: [NALCodec.h264, .hevc])
    func container(codec: NALCodec) throws {
        let path = directory.file("movie.h264")
        let made = directory.file("movie.mp4")
        try MovieRecipe(codec == .h264 ? VideoRecipe() : .hevc).write(to: made)
        #expect(rename(made, path) == 0)
        let bytes = try Files.read(path)
        let (stream, units) = try list(path)
        #expect(stream?.lengthSize == 4 && stream?.container?.contains("mp4") == true)
        #expect(units.prefix { $0.place == .record }.count >= (codec == .h264 ? 2 : 3))
        for unit in units.drop(while: { $0.place == .record }) {
            guard case .packet(_, _, let offset?, let pts) = unit.place else {
                Issue.record("\(unit.place)")
                continue
            }
            let (begin, end) = (Int(offset), Int(offset + unit.size))
            #expect(NALUnit(codec: codec, range: begin..<end, in: bytes.span.bytes).rawType == UInt8(unit.type))
            #expect(bytes[begin - 4..<begin].reduce(0) { $0 << 8 | Int($1) } == Int(unit.size))
            #expect(pts != nil)
        }
    }

    @Test("a device is refused, and never opened", arguments: ["/dev/zero", "/dev/null"])
    func device(path: String) {
        do throws(TranscodeError) {
            _ = try NALDump(input: path).run { _ in true }
            Issue.record("\(path) was read")
        } catch {
            #expect(error.category == .input && error.code == "input.notAFile")
        }
    }

    @Test("a pipe is read like a file", arguments: ["h264", "mkv", "ts"])
    func pipe(pathExtension: String) throws {
        let path = directory.file("movie.\(pathExtension)")
        try MovieRecipe(VideoRecipe()).write(to: path)
        let fifo = directory.file("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let bytes = try Files.read(path)
        // A separate thread, because tests may block the whole pool while they wait for it.
        Thread.detachNewThread { try? Files.write(bytes, to: fifo) }
        let units = try list(fifo).units
        let expected = try list(path).units
        #expect(units.map(\.name) == expected.map(\.name) && units.map(\.place) == expected.map(\.place))
    }

    @Test func `a reader that says stop gets no more`() throws {
        let path = directory.file("in.h264")
        try Files.write(try ByteStreamRecipe.h264.make().bytes, to: path)
        var count = 0
        let outcome = try NALDump(input: path).run { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3 && outcome == .completed)
    }

    @Test("a file without video is refused by its contents", arguments: ["words", ""])
    func refusals(text: String) throws {
        let path = directory.file("in.h264")
        try Files.write(text, to: path)
        #expect(throws: TranscodeError.self) { try NALDump(input: path).run { _ in true } }
        #expect(throws: TranscodeError.self) { try NALDump(input: directory.path).run { _ in true } }
        #expect(throws: TranscodeError.self) { try NALDump(input: path + ".no").run { _ in true } }
    }

    @Test func `damage is told, and the rest is listed`() throws {
        let path = directory.file("in.h264")
        var bytes = try ByteStreamRecipe.h264.make().bytes
        let units = AnnexB.units(in: bytes.span.bytes, codec: .h264)
        let second = try #require(units.filter(\.isVCL).dropFirst().first)
        // A slice with a missing PPS: first_mb 0, P, id 6.
        bytes.replaceSubrange(second.range.prefix(3), with: [0x41, 0xce, 0xe0])
        try Files.write(bytes, to: path)
        let listed = try list(path).units
        #expect(listed.count { $0.problem != nil } == 1 && listed.count > 30)
    }
}
