import Glibc

/// Ends the program with what is wrong, and without a backtrace.
public func fail(_ reason: String) -> Never {
    let line = "error: \(reason)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
}
