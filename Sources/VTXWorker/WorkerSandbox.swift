import Glibc
import VTXMedia
import VTXSystem
import VTXTask

extension WorkerOrder {
    /// Restricts the process and the calling thread if the order requires it. Files and calls of threads that already run
    /// are not restricted.
    func enterSandbox() throws(TranscodeError) {
        guard isSandboxed, let sandbox = task.sandbox else { return }
        Sandbox.limitProcess()
        do throws(SystemError) { try sandbox.enter() } catch {
            throw TranscodeError(.workerStart, "the worker cannot enter its sandbox: \(error)")
        }
    }
}

extension WorkerTask {
    /// The files that the task needs; nil for a task that does not read untrusted files.
    var sandbox: Sandbox? {
        switch self {
        case .transcode(let request), .plan(let request): Sandbox(for: request)
        case .drawThumbnail(let job): Sandbox(for: job)
        default: nil
        }
    }
}

extension Sandbox {
    /// The source, files beside it, the output's directory, vtx's directories, and the files of libraries and drivers.
    init(for request: TranscodeRequest) {
        // Open descriptors need no access to the file system.
        let output = [request.output ?? request.input].filter { $0 != StandardStream.path }
        let directories =
            output.map { FileName.directory(of: $0).directory } + [request.journal?.directory, Directory.cache]
        self.init(
            readable: ([request.input] + request.appended).filter { $0 != StandardStream.path }
                + (request.additions.map(\.file.path) + [request.drawnSubtitles?.file].compactMap(\.self))
                .flatMap { [$0] + VobSub.pictures(of: $0) }
                + Self.system + Self.libraries,
            writable: directories.compactMap(\.self) + [Directory.temporary] + Self.devices + Self.caches)
        // Create it now: the first write would be too late.
        if let cache = Directory.cache { try? Directory.make(cache) }
    }

    /// The video, and the directory of the thumbnail.
    init(for job: ThumbnailJob) {
        self.init(
            readable: [job.input] + Self.system + Self.libraries,
            writable: [FileName.directory(of: job.output).directory, Directory.temporary, "/dev/null", "/dev/shm"])
    }

    /// Programs, libraries, drivers, fonts, and the kernel's information about devices.
    private static let system = [
        "/usr", "/bin", "/lib", "/lib32", "/lib64", "/opt", "/nix", "/sys", "/proc", "/dev", "/etc/ld.so.cache",
        "/etc/alternatives", "/etc/drirc", "/etc/fonts", "/etc/localtime", "/etc/vulkan", "/etc/OpenCL",
        "/var/cache/fontconfig",
    ]

    private static let devices = ["/dev/dri", "/dev/null", "/dev/shm"]

    /// The program's directory, and the directories of libraries and drivers in the environment.
    private static var libraries: [String] {
        let program = FileName.directory(of: TextFile.linkTarget("/proc/self/exe") ?? "").directory
        let listed = ["LD_LIBRARY_PATH", "LIBVA_DRIVERS_PATH", "LD_PRELOAD"].flatMap { name in
            (variable(name) ?? "").split(whereSeparator: { ": ".contains($0) }).map(String.init)
        }
        let fonts = ["/.fonts", "/.local/share/fonts"].compactMap { place in variable("HOME").map { $0 + place } }
        return [program, "\(program)/../bin", "\(program)/../libexec/vtx"] + listed + fonts
    }

    /// The caches of Mesa and fontconfig.
    private static var caches: [String] {
        guard let directory = Directory.cache.map({ FileName.directory(of: $0).directory }) else { return [] }
        return ["mesa_shader_cache", "mesa_shader_cache_db", "fontconfig"].map { "\(directory)/\($0)" }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
