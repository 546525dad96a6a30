import Glibc
import Testing
import VTXSystem

@Suite("One end of a pipe")
struct PipeEndTests {
    init() { signal(SIGPIPE, SIG_IGN) }

    private func read(_ end: PipeEnd, _ count: Int = 100) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        var target = span.mutableBytes
        let filled = try end.read(into: &target)
        return Array(bytes.prefix(filled))
    }

    @Test("reads available bytes, and nothing at the end")
    func reading() throws {
        let pipe = try Pipe()
        let end = try PipeEnd(duplicating: pipe.reading.number)
        try pipe.writing.writeAll("abc")
        #expect(try read(end, 2) == Array("ab".utf8))
        #expect(try read(end) == Array("c".utf8))
        _ = pipe.takeReading()
        #expect(try read(end).isEmpty)
    }

    @Test("does not wait once it is stopped, before or during a wait", arguments: [true, false])
    func stopped(reads: Bool) throws {
        let pipe = try Pipe()
        // Fills the pipe, so that nothing more can be written.
        pipe.writing.makeNonBlocking()
        while (try? pipe.writing.writeOnce([UInt8](repeating: 0, count: 4096))) != nil {}
        let empty = try Pipe()
        let end = try PipeEnd(duplicating: reads ? empty.reading.number : pipe.writing.number)
        let thread = try Thread("stop") { end.stop() }
        let error = #expect(throws: SystemError.self) {
            if reads { _ = try read(end) } else { try end.write([1, 2].span.bytes) }
        }
        #expect(error?.code == ECANCELED)
        thread.join()
        #expect(throws: SystemError.self) { try read(end) }
    }

    @Test("a limited wait ends, also one that has begun")
    func limited() throws {
        let pipe = try Pipe()
        let end = try PipeEnd(duplicating: pipe.reading.number)
        let thread = try Thread("limit") { end.limitWaits(toSeconds: 1) }
        #expect(#expect(throws: SystemError.self) { try read(end) }?.code == ETIMEDOUT)
        thread.join()
        try pipe.writing.writeAll("a")
        #expect(try read(end) == Array("a".utf8))
    }

    @Test("reports a closed reader")
    func readerGone() throws {
        let writing = try Pipe().takeWriting()
        let end = try PipeEnd(duplicating: writing.number)
        let error = #expect(throws: SystemError.self) { try end.write([1].span.bytes) }
        #expect(error?.code == EPIPE)
    }

    @Test("writes more than a pipe's capacity as it is read")
    func writing() throws {
        let pipe = try Pipe()
        let end = try PipeEnd(duplicating: pipe.writing.number)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        let thread = try Thread("write") { try? end.write(bytes.span.bytes) }
        var found: [UInt8] = []
        while found.count < bytes.count { found += try pipe.reading.read(upTo: 1 << 16) }
        thread.join()
        #expect(found == bytes)
    }
}

extension FileDescriptor {
    /// Writes as much as fits.
    fileprivate func writeOnce(_ bytes: [UInt8]) throws(SystemError) {
        guard write(number, bytes, bytes.count) > 0 else { throw SystemError("write", errno) }
    }
}
