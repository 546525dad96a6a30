import Glibc
package import VTXSystem

/// A shell script that is started as a program, with a directory `$D`.
package final class ShellScript: Sendable {
    package let directory: String

    package init() {
        // Like vtx: writes to an ended process must not end this one.
        signal(SIGPIPE, SIG_IGN)
        directory = (try? Directory.makeTemporary("vtx-script")) ?? "/nonexistent"
    }

    deinit { Directory.removeTree(directory) }

    package func path(_ name: String) -> String { "\(directory)/\(name)" }

    package func exists(_ name: String) -> Bool { FileStatus(path(name)) != nil }

    /// A file's text, without the last newline.
    package func text(of name: String) -> String? {
        TextFile.read(path(name)).map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    }

    /// - Parameters:
    ///   - script: may write lines to its events with `say`.
    ///   - environment: variables in addition to `$D`; `$ORDER` is the line that it reads, if any.
    package func launch(_ script: String, environment: [String: String] = [:], readsOrder: Bool = false) -> Launch {
        var head = "E=$2; ulimit -c 0; say() { printf '%s\\n' \"$*\" > /proc/self/fd/$E; }\n"
        if readsOrder { head += "read -r ORDER < /proc/self/fd/$1\n" }
        return Launch(
            executable: "/bin/sh", arguments: ["sh", "-c", head + script, "sh"],
            environment: environment.merging(["D": directory]) { $1 })
    }
}
