import FoundationEssentials
import Glibc

@testable import VTXCommand

/// Workers that are shell scripts, and a directory for them.
final class ShellWorker {
    let directory: String

    init() {
        let name = "\(FileManager.default.temporaryDirectory.path())/vtx-worker-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: true)
        directory = name
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// What a file holds, without the last newline.
    func text(of name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map {
            String(decoding: $0.last == UInt8(ascii: "\n") ? $0.dropLast() : $0, as: UTF8.self)
        }
    }

    /// A script that may say records with `say`, and finds the directory in `$D`.
    func launch(_ script: String) -> WorkerLaunch {
        let say = "say() { echo \"$*\" > /proc/self/fd/$VTX_WORKER; }\nulimit -c 0\n"
        return WorkerLaunch(
            executable: "/bin/sh", arguments: ["sh", "-c", say + script], environment: ["D": directory])
    }

    func supervisor(
        _ script: String, timeout: Double? = nil, secondRun: Supervision.SecondRun = .allowed
    ) -> Supervisor {
        Supervisor(launch: launch(script), secondRun: secondRun, timeout: timeout)
    }
}
