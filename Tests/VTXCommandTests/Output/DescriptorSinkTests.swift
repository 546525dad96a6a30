import Glibc
import Testing

@testable import VTXCommand

@Suite("Writing to descriptors")
struct DescriptorSinkTests {
    @Test("a closed reader is no error")
    func closedPipe() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[1]) }
        close(ends[0])
        let sink = DescriptorSink(descriptor: ends[1])
        sink.write("one\n")
        sink.write("two\n")
        #expect(sink.failure == nil)
    }

    @Test("a full disk is an error, and is recorded")
    func fullDisk() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let sink = DescriptorSink(descriptor: descriptor)
        sink.write("one\n")
        #expect(sink.failure == ENOSPC)
    }

    @Test("text is written completely")
    func wholeText() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        DescriptorSink(descriptor: ends[1]).write("größer\n")
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(ends[0], &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "größer\n")
    }
}
