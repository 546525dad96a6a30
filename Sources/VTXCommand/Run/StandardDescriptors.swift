import Glibc

/// Standard input, output and error, made safe to use.
enum StandardDescriptors {
    static func prepare() {
        // A reader that goes away makes writes fail; it must not end a transcode.
        signal(SIGPIPE, SIG_IGN)
        // A limit on file sizes makes writes fail likewise, and that has an exit code of its own.
        signal(SIGXFSZ, SIG_IGN)
        // Started with one of them closed (`>&-`), the next file opened would get its number, and messages
        // would go into the video.
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }
}
