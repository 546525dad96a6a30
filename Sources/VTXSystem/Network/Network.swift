import CSystem
package import Glibc

/// The socket types of socket(2).
package enum SocketType {
    /// SOCK_STREAM.
    package static let stream = system_stream_socket
    /// SOCK_DGRAM.
    package static let datagram = system_datagram_socket
    /// SOCK_CLOEXEC, to be combined with a type: other programs do not inherit the socket.
    package static let closeOnExec = system_socket_close_on_exec
}

/// The address of a server: `127.0.0.1:8080`, `[::1]:8080`, `:8080` for all addresses.
package struct ListenAddress: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Empty for all addresses.
    package var host: String
    package var port: UInt16

    package static let forms = "127.0.0.1:8080, [::1]:8080, or :8080 for all addresses"

    /// - Returns: nil for text other than `forms`.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        self.host = String(host)
        self.port = port
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether only programs on this machine can reach it.
    package var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Opens a listening socket.
    package func listen() throws(SystemError) -> FileDescriptor {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = SocketType.stream
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0, let first = list else {
            throw SystemError("getaddrinfo '\(host)'", code == EAI_SYSTEM ? errno : ENOENT)
        }
        // `:8080` is IPv6 including IPv4 if IPv6 is available.
        let all = sequence(first: first) { $0.pointee.ai_next }.map(\.pointee)
        let chosen = all.first { host.isEmpty && $0.ai_family == AF_INET6 } ?? all[0]
        do throws(SystemError) { return try listen(on: chosen) } catch {
            guard chosen.ai_family == AF_INET6, let other = all.first(where: { $0.ai_family == AF_INET }) else {
                throw error
            }
            return try listen(on: other)
        }
    }

    private func listen(on address: addrinfo) throws(SystemError) -> FileDescriptor {
        let number = socket(address.ai_family, address.ai_socktype | SocketType.closeOnExec, 0)
        guard number >= 0 else { throw SystemError("socket", errno) }
        let descriptor = FileDescriptor(owning: number)
        var (yes, no) = (Int32(1), Int32(0))
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if address.ai_family == AF_INET6 {
            setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, socklen_t(MemoryLayout<Int32>.size))
        }
        guard bind(number, address.ai_addr, address.ai_addrlen) == 0 else { throw SystemError("bind \(self)", errno) }
        guard Glibc.listen(number, 1024) == 0 else { throw SystemError("listen", errno) }
        return descriptor
    }

    /// Returns the actual port of a socket that was opened with port 0.
    package static func port(of descriptor: borrowing FileDescriptor) -> UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor.number, $0, &length)
            }
            // sin_port and sin6_port have the same offset.
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port }
        }
        return UInt16(bigEndian: port)
    }
}

/// An IPv4 or IPv6 address.
package struct IPAddress: Sendable, Hashable {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// - Parameter text: A numeric address; nil for anything else.
    package init?(_ text: String) {
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = withUnsafeBytes(of: v4) { Array($0) }
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = withUnsafeBytes(of: v6) { Array($0) }
        } else {
            return nil
        }
    }

    /// nil for other address families.
    package init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
            }
        default: return nil
        }
    }

    /// Formats the numeric address, with the interface of a link-local one (C: `getnameinfo`); nil for other address
    /// families.
    package static func text(of address: UnsafePointer<sockaddr>) -> String? {
        let length: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        return CText.read(upTo: Int(NI_MAXHOST)) {
            getnameinfo(address, socklen_t(length), $0, socklen_t($1), nil, 0, NI_NUMERICHOST) == 0
        } ?? ""
    }
}

package enum Host {
    /// C: `gethostname`.
    package static var name: String { CText.read(upTo: 256) { gethostname($0, $1 - 1) == 0 } ?? "localhost" }
}

/// Reads text from a C function.
package enum CText {
    /// - Parameter write: Called with a buffer and its size; returns false on failure, for which the result is nil.
    package static func read(upTo size: Int, _ write: (UnsafeMutablePointer<CChar>, Int) -> Bool) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { room in
            room.initialize(repeating: 0)
            guard let start = room.baseAddress, write(start, size) else { return nil }
            return String(cString: start)
        }
    }
}

/// A Unix datagram socket (unix(7)).
package enum UnixDatagram {
    /// - Parameter path: A path; `@` at the beginning stands for the abstract namespace. Failures are ignored.
    package static func send(_ text: String, to path: String) {
        guard var address = address(path) else { return }
        let number = socket(AF_UNIX, SocketType.datagram | SocketType.closeOnExec, 0)
        guard number >= 0 else { return }
        let descriptor = FileDescriptor(owning: number)
        let bytes = Array(text.utf8)
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor.number, bytes, bytes.count, 0, $0, length)
            }
        }
    }

    private static func address(_ path: String) -> sockaddr_un? {
        var (address, bytes) = (sockaddr_un(), Array(path.utf8))
        guard let first = bytes.first, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}
