import Glibc
import VTXSystem

/// Tells systemd how the service is (sd_notify(3)). Without systemd it tells no one.
enum ServiceManager {
    static func isReady() { tell("READY=1") }
    static func isStopping() { tell("STOPPING=1") }
    /// For the watchdog; it ends a service that does not say so in time.
    static func isAlive() { tell("WATCHDOG=1") }

    private static func tell(_ state: String) {
        guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), var address = address(path) else {
            return
        }
        let number = socket(AF_UNIX, SocketType.datagram | SocketType.closeOnExec, 0)
        guard number >= 0 else { return }
        let descriptor = FileDescriptor(owning: number)
        let text = Array(state.utf8)
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor.number, text, text.count, 0, $0, length)
            }
        }
    }

    /// - Parameter path: one that begins with `@` is of the abstract namespace (unix(7)).
    private static func address(_ path: String) -> sockaddr_un? {
        var (address, bytes) = (sockaddr_un(), Array(path.utf8))
        guard let first = bytes.first, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}
