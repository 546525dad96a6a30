import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("A full disk")
struct DiskFullTests {
    /// A file system of this size; nil if this process cannot mount one.
    private final class SmallDisk: Sendable {
        let path: String

        init?(_ path: String, kilobytes: Int) {
            self.path = path
            guard mkdir(path, 0o700) == 0, mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
                return nil
            }
        }

        deinit { umount(path) }
    }

    @Test("is an error of the output, and leaves nothing", arguments: ["mp4", "mkv", "ts", "h264"])
    func full(pathExtension: String) throws {
        let directory = try TemporaryDirectory()
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = 50 }, .pcm).write(to: input)
        guard let disk = SmallDisk(directory.file("disk"), kilobytes: 16) else {
            return print("skipped: a file system of one's own takes the superuser")
        }
        let error = Run.failure(input, to: disk.path + "/out.\(pathExtension)") {
            $0.rateControl = Quality(100).map { .quality($0) }
        }
        #expect(error?.category == .output && error?.code == "output.noSpace")
        withExtendedLifetime(disk) { #expect(directory.names(in: "disk").isEmpty) }
    }
}
