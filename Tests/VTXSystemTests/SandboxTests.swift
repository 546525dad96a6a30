import Glibc
import Testing
import VTXSystem
import VTXTestMedia

/// A sandbox belongs to a thread, and ends with it.
@Suite("A sandbox", .enabled(if: Sandbox.isAvailable))
struct SandboxTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["given", "kept"] { try Directory.make(directory.file(name)) }
        for name in ["given/a", "kept/a", "source"] { try Files.write("bytes", to: directory.file(name)) }
    }

    /// - Returns: each call's `errno` inside the sandbox; 0 on success.
    private func inside(_ calls: @escaping @Sendable () -> [Int32]) throws -> [Int32] {
        let sandbox = Sandbox(
            readable: [directory.file("source"), "/usr", directory.file("missing")],
            writable: [directory.file("given")])
        let found = Locked<Result<[Int32], VTXSystem.SystemError>>(.success([]))
        try Thread("sandbox") {
            do throws(VTXSystem.SystemError) {
                try sandbox.enter()
                let errors = calls()
                found.withLock { $0 = .success(errors) }
            } catch {
                found.withLock { $0 = .failure(error) }
            }
        }.join()
        return try found.withLock(\.self).get()
    }

    private static func opening(_ path: String, _ flags: Int32 = O_RDONLY) -> Int32 {
        do throws(VTXSystem.SystemError) {
            _ = try FileDescriptor(opening: path, flags)
            return 0
        } catch { return error.code }
    }

    @Test("allows only the given files")
    func files() throws {
        let (given, kept) = (directory.file("given"), directory.file("kept"))
        let source = directory.file("source")
        let errors = try inside {
            [
                Self.opening(source), Self.opening("\(given)/a"), Self.opening("\(given)/b", O_WRONLY | O_CREAT),
                rename("\(given)/b", "\(given)/c"), Self.opening(source, O_WRONLY), Self.opening("\(kept)/a"),
                Self.opening("\(kept)/b", O_WRONLY | O_CREAT), Self.opening("/etc/hostname"),
            ]
        }
        #expect(errors == [0, 0, 0, 0] + Array(repeating: EACCES, count: 4))
        #expect(Set(Directory.names(in: given)) == ["a", "c"])
    }

    @Test("starts only readable programs, which are also inside")
    func programs() throws {
        let kept = directory.file("kept/a")
        let errors = try inside {
            let inside = Launch(executable: "/usr/bin/cat", arguments: ["cat", kept])
            return [Self.status(inside), Self.status(Launch(executable: kept, arguments: ["a"]))]
        }
        #expect(errors == [1, -EACCES])
    }

    /// - Returns: the exit code, or the error of its start.
    private static func status(_ launch: Launch) -> Int32 {
        do throws(VTXSystem.SystemError) {
            var process = try Subprocess(launch)
            while process.reap() == nil { Poll.wait(for: [], seconds: 0.01) }
            if case .exited(let code)? = process.ending { return code }
            return -1
        } catch { return -error.code }
    }

    @Test("allows no sockets and no other calls that codecs do not need")
    func calls() throws {
        let errors = try inside {
            [
                socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) < 0 ? errno : 0,
                chroot("/") < 0 ? errno : 0,
            ]
        }
        #expect(errors == [EPERM, EPERM])
    }

    @Test("ends with its thread: others stay outside")
    func others() throws {
        _ = try inside { [] }
        #expect(Self.opening(directory.file("kept/a")) == 0)
    }
}
