import Glibc
import Testing
import VTXSystem
import VTXTestMedia

@testable import VTXLibVA

@Suite("GPU load")
struct RenderNodeLoadTests {
    private static func info(client: Int, _ engines: String...) -> String {
        "pos:\t0\nflags:\t02100002\ndrm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\ndrm-client-id:\t\(client)\n"
            + engines.map { "drm-engine-\($0)\n" }.joined()
    }

    @Test("the load is the sum over the engines")
    func engines() throws {
        let text = Self.info(client: 7, "render:\t1500000000 ns", "video:\t500000000 ns", "capacity-video:\t2")
        let (client, work) = try #require(DRMClient.read(text))
        #expect(work == .seconds(["render": 1.5, "video": 0.5]))
        #expect(DRMClient.read(Self.info(client: 7, "video:\t0 ns"))?.0 == client)
        #expect(DRMClient.read(Self.info(client: 8, "video:\t0 ns"))?.0 != client)
    }

    @Test("amdgpu counts like i915, with other engine names")
    func amdgpu() throws {
        let text = """
            pos:\t0
            drm-driver:\tamdgpu
            drm-client-id:\t12
            drm-pdev:\t0000:0b:00.0
            drm-memory-vram:\t2048 KiB
            drm-engine-gfx:\t250000000 ns
            drm-engine-dec:\t1000000000 ns
            drm-engine-enc:\t750000000 ns
            """
        #expect(try #require(DRMClient.read(text)).work == .seconds(["gfx": 0.25, "dec": 1, "enc": 0.75]))
    }

    /// An engine at 1 GHz, with xe's memory and capacity lines.
    private static func xe(_ cycles: [(engine: String, client: UInt64, total: UInt64)]) -> String {
        "drm-driver:\txe\ndrm-client-id:\t8\ndrm-pdev:\t0000:03:00.0\ndrm-total-vram0:\t0\n"
            + cycles.map { "drm-cycles-\($0.0):\t\($0.1)\ndrm-total-cycles-\($0.0):\t\($0.2)\n" }.joined()
            + "drm-engine-capacity-vcs:\t2\n"
    }

    @Test("xe counts cycles of each engine: the load is the client's share")
    func xe() throws {
        func use(_ text: String) throws -> RenderNodeUse {
            var use = RenderNodeUse(of: "/nowhere")
            let (client, work) = try #require(DRMClient.read(text))
            use.clients[client] = work
            return use
        }
        let before = try use(Self.xe([("rcs", 0, 7_000_000_000), ("vcs", 500, 7_000_000_000)]))
        let later = try use(Self.xe([("rcs", 0, 7_100_000_000), ("vcs", 60_000_500, 7_100_000_000)]))
        #expect(before.load(until: later, seconds: 0.1).busyPercent == 60)
        #expect(before.load(until: before, seconds: 0.1).busyPercent == 0)
        #expect(later.load(until: before, seconds: 0.1).busyPercent == 0, "a kernel that has begun to count again")
        let two = try use(Self.xe([("vcs", 100_000_500, 7_100_000_000), ("vecs", 25, 100)]))
        let start = try use(Self.xe([("vcs", 500, 7_000_000_000), ("vecs", 0, 50)]))
        #expect(start.load(until: two, seconds: 0.1).busyPercent == 150, "engines add up")
    }

    @Test("cycles without a total give no load")
    func cyclesAlone() {
        #expect(DRMClient.read("drm-client-id:\t8\ndrm-cycles-vcs:\t77\n") == nil)
    }

    @Test(
        "a kernel without counters, and invalid lines", arguments: ["", "pos:\t0\n", "drm-client-id: 3\n::\n"])
    func silence(text: String) { #expect(DRMClient.read(text) == nil) }

    @Test("the work between two readings, divided by the time between them")
    func percent() throws {
        func use(_ works: [(Int, Int)]) throws -> RenderNodeUse {
            var use = RenderNodeUse(of: "/nowhere")
            use.processes = [11, 12]
            for (client, milliseconds) in works {
                let text = Self.info(client: client, "video:\t\(milliseconds * 1_000_000) ns")
                let (id, work) = try #require(DRMClient.read(text))
                use.clients[id] = work
            }
            return use
        }
        let later = try use([(1, 1060), (2, 500), (3, 900)])
        // The third client is new: its earlier work is unknown.
        let load = try use([(1, 1000), (2, 480)]).load(until: later, seconds: 0.1)
        #expect(load == RenderNodeLoad(processes: 2, busyPercent: 80))
        // A removed client does not count negatively.
        #expect(try use([(1, 1000), (9, 5000)]).load(until: later, seconds: 0.1).busyPercent == 60)
        #expect(try use([]).load(until: later, seconds: 0.1).busyPercent == nil)
    }

    @Test("work counts before open files")
    func rank() {
        let desktop = RenderNodeLoad(processes: 12, busyPercent: 0)
        let transcode = RenderNodeLoad(processes: 1, busyPercent: 60)
        #expect(desktop.rank < transcode.rank)
        #expect(RenderNodeLoad(processes: 0).rank < RenderNodeLoad(processes: 1).rank)
        #expect(
            RenderNodeLoad(processes: 5000, busyPercent: 0).rank < RenderNodeLoad(processes: 0, busyPercent: 1).rank)
    }

    @Test("other processes with the file open are counted; this one and its children are not")
    func openFiles() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("node")
        let own = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(own) }
        #expect(RenderNodeLoad.measure([path, "/nowhere"], seconds: 0).map(\.processes) == [0, 0])
        #expect(try load(of: path, while: "exec cat <&4") == RenderNodeLoad(processes: 0))
        // Its shell ends at once, and it is reparented.
        #expect(try load(of: path, while: "cat <&4 &") == RenderNodeLoad(processes: 1))
        #expect(RenderNodeLoad.measure([path], seconds: 0).map(\.processes) == [0])
    }

    /// While `sh` runs a program that has the file open twice, and reads from a pipe: descriptor 4.
    private func load(of path: String, while command: String) throws -> RenderNodeLoad? {
        let ends = try highPipe()
        // It ends when no program has it open; descriptors are closed in order, so the file is closed before it.
        let life = try highPipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], 4)
        posix_spawn_file_actions_addopen(&actions, 5, path, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 6, path, O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, life[1], 7)
        var child: pid_t = 0
        let words = ["sh", "-c", command]
        let arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        #expect(posix_spawn(&child, "/bin/sh", &actions, nil, arguments, environ) == 0)
        var status: Int32 = 0
        if command.hasSuffix("&") { waitpid(child, &status, 0) }
        let load = RenderNodeLoad.measure([path], seconds: 0.001).first
        [ends[1], ends[0], life[1]].forEach { close($0) }
        var byte: UInt8 = 0
        #expect(read(life[0], &byte, 1) == 0)
        close(life[0])
        if !command.hasSuffix("&") { waitpid(child, &status, 0) }
        return load
    }

    /// No program inherits these ends, and their numbers differ from those passed to one.
    private func highPipe() throws -> [Int32] {
        let low = try Pipe()
        return [low.reading.number, low.writing.number].map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
    }
}
