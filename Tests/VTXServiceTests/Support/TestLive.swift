import Glibc
import VTXSystem
import VTXTestHTTP

@testable import VTXService

/// A live server of a directory of its own.
final class TestLive: Sendable {
    /// The served directory is in another one, whose files are not served.
    private let parent: TestDirectory
    let directory: TestDirectory
    let server: LiveServer

    init(targetDurations: Double = 30) throws {
        signal(SIGPIPE, SIG_IGN)
        parent = try TestDirectory()
        directory = TestDirectory(existing: parent.makeDirectory("live"))
        server = try LiveServer(
            directory.path, ListenAddress("127.0.0.1:0")!, targetDurations: targetDurations)
    }

    deinit { server.stop() }

    func get(_ path: String) throws -> String { try ask("GET \(path)") }

    /// - Parameter headers: Lines.
    func ask(_ line: String, _ headers: String = "", host: String = "localhost") throws -> String {
        let connection = try TestConnection(server.port)
        try connection.send("\(line) HTTP/1.1\nHost: \(host)\nConnection: close\n\(headers)\n")
        return connection.readToEnd()
    }

    /// Sends a request that waits.
    ///
    /// - Parameter waits: Whether to return when it does, as the first one.
    func begin(_ path: String, waits: Bool = true, host: String = "localhost") throws -> TestConnection {
        let connection = try TestConnection(server.port)
        try connection.send("GET \(path) HTTP/1.1\nHost: \(host)\nConnection: close\n\n")
        if waits { wait(for: 1) }
        return connection
    }

    /// Waits until this many requests wait.
    func wait(for count: Int) { while server.waitingCount < count { usleep(1000) } }

    /// Writes a file as vtx does: complete once it has its name.
    func replace(_ name: String, _ text: String) throws {
        let (folder, file) = FileName.directory(of: directory.file(name))
        try directory.write(text, to: FileName.directory(of: name).directory + "/.\(file).vtx-partial")
        try OpenDirectory(folder).rename(".\(file).vtx-partial", to: file, replaces: true)
    }

    /// A playlist of segments with four parts each, and of the first parts of the next segment.
    static func playlist(_ first: Int, segments: Int, parts: Int) -> String {
        func lines(_ number: Int, _ count: Int) -> String {
            (0..<count).map { "#EXT-X-PART:DURATION=0.50000,URI=\"out-\(number).\($0).m4s\"\n" }.joined()
        }
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-SERVER-CONTROL:PART-HOLD-BACK=1.50000\n"
        let info = "#EXT-X-PART-INF:PART-TARGET=0.50000\n#EXT-X-MEDIA-SEQUENCE:\(first)\n"
        let complete = (first..<first + segments).map { "\(lines($0, 4))#EXTINF:2.00000,\nout-\($0).m4s\n" }.joined()
        return head + info + complete + lines(first + segments, parts)
    }
}
