import CNATS
import Glibc

/// A connection to one of several servers, with unlimited reconnects: a call without a server fails, and the next one
/// may succeed.
package final class NATSConnection: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer

    /// The interval between attempts to connect, in milliseconds.
    private static let reconnectWait: Int64 = 500

    /// - Parameters:
    ///   - servers: URLs, such as `nats://10.0.0.5:4222`. None of them needs to be reachable yet.
    ///   - name: The name of this client in the server's reports.
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
        // A hung server is abandoned after 20 seconds.
        natsOptions_SetPingInterval(options, 10_000)
        natsOptions_SetMaxPingsOut(options, 2)
        // The library's default handler writes to standard error.
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

    /// URLs may contain a user and a password.
    private static func withoutSecrets(_ servers: [String]) -> String {
        servers.map { url in
            let parts = url.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count > 1, let scheme = parts[0].firstRange(of: "://") else { return url }
            return String(parts[0][..<scheme.upperBound]) + (parts.last ?? "")
        }.joined(separator: ",")
    }

    package var isConnected: Bool { natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED }

    /// Why the last attempt to connect failed, for example because of a wrong password.
    package var lastFailure: String? {
        var text: UnsafePointer<CChar>?
        guard natsConnection_GetLastError(handle, &text) != NATS_OK, let text, text.pointee != 0 else { return nil }
        return String(cString: text)
    }

    /// The number of known servers of the cluster.
    package var serverCount: Int {
        var (list, count) = (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.none, Int32(0))
        guard natsConnection_GetServers(handle, &list, &count) == NATS_OK, let list else { return 1 }
        defer { free(list) }
        for index in 0..<Int(count) { free(list[index]) }
        return Int(count)
    }

    /// Publishes to current subscribers. Without a server, the message is buffered for a while, and may be lost.
    package func publish(_ text: String, to subject: String) throws(NATSError) {
        try check(natsConnection_PublishString(handle, subject, text), "publish '\(subject)'")
    }

    package func publish(_ bytes: [UInt8], to subject: String) throws(NATSError) {
        try check(natsConnection_Publish(handle, subject, bytes, Int32(bytes.count)), "publish '\(subject)'")
    }

    /// Sends a request to a subject and waits for the response.
    ///
    /// - Throws: `.missing` without a subscriber.
    package func request(_ text: String, to subject: String, seconds: Double) throws(NATSError) -> NATSMessage {
        var message: OpaquePointer?
        let status = natsConnection_RequestString(&message, handle, subject, text, Int64(seconds * 1000))
        if status == NATS_NO_RESPONDERS { throw NATSError(.missing, "ask '\(subject)'", "there is no subscriber") }
        try check(status, "ask '\(subject)'")
        guard let message else { throw NATSError(.refused, "ask '\(subject)'", "nothing came back") }
        return NATSMessage(taking: message)
    }

    /// Waits until the server has received everything published.
    package func flush(seconds: Double) { natsConnection_FlushTimeout(handle, Int64(seconds * 1000)) }

    /// - Parameter subject: May contain wildcards.
    package func listen(to subject: String) throws(NATSError) -> NATSSubscription {
        var subscription: OpaquePointer?
        try check(natsConnection_SubscribeSync(&subscription, handle, subject), "subscribe '\(subject)'")
        guard let subscription else { throw NATSError(.refused, "subscribe '\(subject)'", "nothing came back") }
        return NATSSubscription(subscription, of: self)
    }
}

/// A subscription to a subject.
package final class NATSSubscription: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer
    /// It must outlive the subscription.
    private let connection: NATSConnection

    init(_ handle: OpaquePointer, of connection: NATSConnection) {
        (self.handle, self.connection) = (handle, connection)
    }

    deinit { natsSubscription_Destroy(handle) }

    /// Waits for a message.
    ///
    /// - Returns: the message; nil if none arrives in this time.
    package func next(seconds: Double) throws(NATSError) -> NATSMessage? {
        var message: OpaquePointer?
        let status = natsSubscription_NextMsg(&message, handle, Int64(seconds * 1000))
        if status == NATS_TIMEOUT { return nil }
        try check(status, "receive")
        return message.map { NATSMessage(taking: $0) }
    }

    /// Fetches messages from a stream's consumer that no other client has.
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

/// A message from a subject or a stream.
package struct NATSMessage: Sendable, Hashable {
    package var subject: String
    /// The subject for the response, or for acknowledging a stream's message.
    package var reply: String
    package var bytes: [UInt8]
    /// The number in the stream; 0 without one.
    package var sequence: UInt64 = 0
    /// The number of deliveries, including this one.
    package var deliveries: UInt64 = 1

    package init(subject: String, reply: String = "", text: String, sequence: UInt64 = 0) {
        (self.subject, self.reply, self.sequence) = (subject, reply, sequence)
        bytes = Array(text.utf8)
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Copies the message and frees the original.
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
