import CSystem

/// What socket(2) takes as a socket's type.
package enum SocketType {
    /// SOCK_STREAM.
    package static let stream = system_stream_socket
    /// SOCK_DGRAM.
    package static let datagram = system_datagram_socket
    /// SOCK_CLOEXEC, to be combined with a type: the socket is closed in programs that are started.
    package static let closeOnExec = system_socket_close_on_exec
}
