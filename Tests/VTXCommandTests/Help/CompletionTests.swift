import Foundation
import Testing
import VTXSystem

@testable import VTXCommand

@Suite("Completions")
struct CompletionTests {
    @Test("every shell's script knows every option", arguments: Shell.allCases)
    func everyOption(shell: Shell) {
        let script = shell.completions(for: Program.commands)
        for option in Program.commands.flatMap(\.options) {
            #expect(script.contains(shell == .fish ? "-l \(option.long)" : option.flag))
        }
    }

    @Test("zsh's script has exclusions, with balanced brackets and quotes")
    func zshSpecification() {
        let script = ZshCompletions.text(for: [.transcode])
        #expect(script.contains("'(--hevc --codec --h264 --av1)--hevc[Encode HEVC (H.265); short for --codec hevc]'"))
        #expect(script.contains(":PRESET:(fast balanced quality ultrafast "))
        #expect(script.contains("[H\\:\\]MM\\:SS"))
    }

    @Test("the shells themselves accept the scripts", arguments: Shell.allCases)
    func syntax(shell: Shell) throws {
        guard let path = Executable.path(of: shell.rawValue) else { return }
        let script = shell.completions(for: Program.commands)
        #expect(try Executable.run(path, ["-n"], input: script).status == 0)
    }

    @Test(
        "bash completes commands, options and values",
        arguments: [
            (["vtx", "tr"], ["transcode"]),
            (["vtx", "transcode", "--pre"], ["--preset"]),
            (["vtx", "transcode", "--preset", "f"], ["fast", "faster"]),
            (["vtx", "transcode", "--preset", "=", "b"], ["balanced"]),
            (["vtx", "transcode", "--hw", "="], ["auto", "require", "off"]),
            (["vtx", "completions", ""], ["bash", "zsh", "fish"]),
            (["vtx", "help", "ver"], ["version"]),
            (["vtx", "transcode", ""], []),
        ])
    func bash(words: [String], expected: [String]) throws {
        guard let path = Executable.path(of: "bash") else { return }
        let line = words.map(ShellQuoting.inSingleQuotes).joined(separator: " ")
        let script = """
            \(BashCompletions.text(for: Program.commands))
            COMP_WORDS=(\(line)) COMP_CWORD=\(words.count - 1)
            _vtx 2> /dev/null
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try Executable.run(path, [], input: script)
        #expect(result.output.split(separator: "\n").map(String.init) == expected)
    }
}

/// Programs that may be on this machine.
private enum Executable {
    static func path(of name: String) -> String? {
        ["/bin", "/usr/bin"].map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    static func run(
        _ path: String, _ arguments: [String], input: String
    ) throws -> (output: String, status: Int32) {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (script, output) = (directory.appending(path: "script"), directory.appending(path: "output"))
        try Data(input.utf8).write(to: script)
        let redirected = ["sh", "-c", "exec \"$@\" > \"$0\"", output.path(), path] + arguments + [script.path()]
        var process = try Subprocess(Launch(executable: "/bin/sh", arguments: redirected))
        guard case .exited(let status) = process.wait() else { throw SystemError("'\(path)' was killed", EINTR) }
        return (try String(contentsOf: output, encoding: .utf8), status)
    }
}
