import Glibc
import VTXCluster
import VTXJSON
import VTXSystem

/// A test's NATS server with JetStream, on a free port.
final class NATSServer {
    private let directory: String
    private var process: Int32 = 0
    private(set) var port = 0

    private static let path = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { $0 + "/nats-server" }.first { path in
        access(path, X_OK) == 0
    }
    static let isInstalled = path != nil

    struct NotStarted: Error {}

    init() throws {
        var name = Array("/tmp/vtx-nats-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw NotStarted() }
        directory = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try start()
    }

    deinit {
        stop()
        Directory.removeTree(directory)
    }

    var url: String { "nats://127.0.0.1:\(port)" }

    /// Restarts it with the same port and storage.
    func start() throws {
        guard let path = Self.path else { throw NotStarted() }
        let arguments = [
            "nats-server", "-js", "-sd", "\(directory)/store", "-a", "127.0.0.1", "-p", port > 0 ? "\(port)" : "-1",
            "--ports_file_dir", directory,
        ]
        process = try Launch(executable: path, arguments: arguments).startAlone(output: "\(directory)/output")
        let file = "\(directory)/nats-server_\(process).ports"
        for _ in 0..<600 {
            if let text = TextFile.read(file), let ports = try? JSONValue(parsing: text),
                let url = ports["nats"]?.array?.first?.string,
                let number = url.split(separator: ":").last.flatMap({ Int($0) })
            {
                port = number
                return
            }
            usleep(50_000)
        }
        throw NotStarted()
    }

    func stop() {
        guard process > 0 else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        process = 0
    }
}

/// Retries until there is an answer: a connection is restored automatically after a moment.
func until<Result>(_ body: () throws -> Result?) throws -> Result {
    for _ in 0..<600 {
        if let result = (try? body()) ?? nil { return result }
        usleep(50_000)
    }
    throw NATSServer.NotStarted()
}
