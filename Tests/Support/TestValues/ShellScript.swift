import Glibc
package import VTXSystem

/// A shell script as a program that is started, and a directory for it, `$D`.
package final class ShellScript: Sendable {
    package let directory: String

    package init() {
        // As vtx does: a process that has ended reads nothing.
        signal(SIGPIPE, SIG_IGN)
        directory = (try? Directory.makeTemporary("vtx-script")) ?? "/nonexistent"
    }

    deinit { Directory.removeTree(directory) }

    package func path(_ name: String) -> String { "\(directory)/\(name)" }

    package func exists(_ name: String) -> Bool { FileStatus(path(name)) != nil }

    /// What a file holds, without the last newline.
    package func text(of name: String) -> String? {
        TextFile.read(path(name)).map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    }

    /// - Parameters:
    ///   - script: may say lines with `say`; they go where its events go.
    ///   - environment: what it finds beside `$D`; `$ORDER` is the line that it was given, where it reads one.
    package func launch(_ script: String, environment: [String: String] = [:], readsOrder: Bool = false) -> Launch {
        var head = "E=$2; ulimit -c 0; say() { printf '%s\\n' \"$*\" > /proc/self/fd/$E; }\n"
        if readsOrder { head += "read -r ORDER < /proc/self/fd/$1\n" }
        return Launch(
            executable: "/bin/sh", arguments: ["sh", "-c", head + script, "sh"],
            environment: environment.merging(["D": directory]) { $1 })
    }
}
