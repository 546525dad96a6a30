import CNATS
import Glibc

/// A connection to one of several servers, which comes back for ever: a call that meets no server fails, and the next
/// one may not.
package final class NATSConnection: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer

    /// Milliseconds between two tries to connect.
    private static let reconnectWait: Int64 = 500

    /// - Parameters:
    ///   - servers: URLs, such as `nats://10.0.0.5:4222`. None of them has to be there yet.
    ///   - name: what the server's own reports call this end.
    package init(servers: [String], name: String) throws(NATSError) {
        var options: OpaquePointer?
        try check(natsOptions_Create(&options), "natsOptions_Create")
        defer { natsOptions_Destroy(options) }
        var urls = servers.map { UnsafePointer<CChar>(strdup($0)) }
        defer { urls.forEach { free(UnsafeMutablePointer(mutating: $0)) } }
        try check(natsOptions_SetServers(options, &urls, Int32(urls.count)), "natsOptions_SetServers")
        natsOptions_SetName(options, name)
        natsOptions_SetMaxReconnect(options, -1)
        natsOptions_SetReconnectWait(options, Self.reconnectWait)
        natsOptions_SetFailRequestsOnDisconnect(options, true)
        // A server that hangs is left after 20 seconds.
        natsOptions_SetPingInterval(options, 10_000)
        natsOptions_SetMaxPingsOut(options, 2)
        // The library's own handler writes to standard error.
        natsOptions_SetErrorHandler(options, { _, _, _, _ in }, nil)
        natsOptions_SetRetryOnFailedConnect(options, true, { _, _ in }, nil)
        var handle: OpaquePointer?
        let status = natsConnection_Connect(&handle, options)
        guard let handle, status == NATS_OK || status == NATS_NOT_YET_CONNECTED else {
            throw NATSError(status, jsErrCode(0), "connect to \(Self.withoutSecrets(servers))")
        }
        self.handle = handle
    }

    deinit { natsConnection_Destroy(handle) }

    /// A URL may have a user and a password.
    private static func withoutSecrets(_ servers: [String]) -> String {
        servers.map { url in
            let parts = url.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count > 1, let scheme = parts[0].firstRange(of: "://") else { return url }
            return String(parts[0][..<scheme.upperBound]) + (parts.last ?? "")
        }.joined(separator: ",")
    }

    package var isConnected: Bool { natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED }

    /// Why the last try to connect has failed; a wrong password, for example.
    package var lastFailure: String? {
        var text: UnsafePointer<CChar>?
        guard natsConnection_GetLastError(handle, &text) != NATS_OK, let text, text.pointee != 0 else { return nil }
        return String(cString: text)
    }

    /// Servers of the cluster, as far as they are known.
    package var serverCount: Int {
        var (list, count) = (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.none, Int32(0))
        guard natsConnection_GetServers(handle, &list, &count) == NATS_OK, let list else { return 1 }
        defer { free(list) }
        for index in 0..<Int(count) { free(list[index]) }
        return Int(count)
    }

    /// To those who listen at the moment. Without a server it is kept for a while, and may be lost.
    package func publish(_ text: String, to subject: String) throws(NATSError) {
        try check(natsConnection_PublishString(handle, subject, text), "publish '\(subject)'")
    }

    package func publish(_ bytes: [UInt8], to subject: String) throws(NATSError) {
        try check(natsConnection_Publish(handle, subject, bytes, Int32(bytes.count)), "publish '\(subject)'")
    }

    /// Asks who listens to a subject, and waits for the answer.
    ///
    /// - Throws: `.missing` where no one listens.
    package func request(_ text: String, to subject: String, seconds: Double) throws(NATSError) -> NATSMessage {
        var message: OpaquePointer?
        let status = natsConnection_RequestString(&message, handle, subject, text, Int64(seconds * 1000))
        if status == NATS_NO_RESPONDERS { throw NATSError(.missing, "ask '\(subject)'", "no one listens") }
        try check(status, "ask '\(subject)'")
        guard let message else { throw NATSError(.refused, "ask '\(subject)'", "nothing came back") }
        return NATSMessage(taking: message)
    }

    /// Waits until the server has all that was published.
    package func flush(seconds: Double) { natsConnection_FlushTimeout(handle, Int64(seconds * 1000)) }

    /// - Parameter subject: may have wildcards.
    package func listen(to subject: String) throws(NATSError) -> NATSSubscription {
        var subscription: OpaquePointer?
        try check(natsConnection_SubscribeSync(&subscription, handle, subject), "subscribe '\(subject)'")
        guard let subscription else { throw NATSError(.refused, "subscribe '\(subject)'", "nothing came back") }
        return NATSSubscription(subscription, of: self)
    }
}

/// Messages of a subject, as they come.
package final class NATSSubscription: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer
    /// It must outlive the subscription.
    private let connection: NATSConnection

    init(_ handle: OpaquePointer, of connection: NATSConnection) {
        (self.handle, self.connection) = (handle, connection)
    }

    deinit { natsSubscription_Destroy(handle) }

    /// Waits for one.
    ///
    /// - Returns: nil where there is none in this time.
    package func next(seconds: Double) throws(NATSError) -> NATSMessage? {
        var message: OpaquePointer?
        let status = natsSubscription_NextMsg(&message, handle, Int64(seconds * 1000))
        if status == NATS_TIMEOUT { return nil }
        try check(status, "receive")
        return message.map { NATSMessage(taking: $0) }
    }

    /// Asks a stream's consumer for messages that no one else has.
    package func fetch(_ count: Int, seconds: Double) throws(NATSError) -> [NATSMessage] {
        var list = natsMsgList(Msgs: nil, Count: 0)
        var code = jsErrCode(0)
        let status = natsSubscription_Fetch(&list, handle, Int32(count), Int64(seconds * 1000), &code)
        if status == NATS_TIMEOUT { return [] }
        try check(status, "fetch", code)
        defer { natsMsgList_Destroy(&list) }
        return (0..<Int(list.Count)).compactMap { index in
            defer { list.Msgs[index] = nil }
            return list.Msgs[index].map { NATSMessage(taking: $0) }
        }
    }
}

/// What has come from a subject or a stream.
package struct NATSMessage: Sendable, Hashable {
    package var subject: String
    /// Where to answer; of a stream's message, where its fate is told.
    package var reply: String
    package var bytes: [UInt8]
    /// Its number in the stream; 0 without one.
    package var sequence: UInt64 = 0
    /// How often it was delivered, this time included.
    package var deliveries: UInt64 = 1

    package init(subject: String, reply: String = "", text: String, sequence: UInt64 = 0) {
        (self.subject, self.reply, self.sequence) = (subject, reply, sequence)
        bytes = Array(text.utf8)
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Copies it and frees the other.
    fileprivate init(taking message: OpaquePointer) {
        defer { natsMsg_Destroy(message) }
        subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
        reply = natsMsg_GetReply(message).map { String(cString: $0) } ?? ""
        bytes = Array(
            UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message))))
        var facts: UnsafeMutablePointer<jsMsgMetaData>?
        guard natsMsg_GetMetaData(&facts, message) == NATS_OK, let facts else { return }
        (sequence, deliveries) = (facts.pointee.Sequence.Stream, facts.pointee.NumDelivered)
        jsMsgMetaData_Destroy(facts)
    }
}
