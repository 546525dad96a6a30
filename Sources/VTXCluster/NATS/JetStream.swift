import CNATS
import Glibc

/// The persistent objects of a NATS server: streams, their consumers, and key-value buckets.
package final class JetStream: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer
    package let connection: NATSConnection

    /// The timeout for a response, in milliseconds.
    private static let wait: Int64 = 3000

    package init(_ connection: NATSConnection) throws(NATSError) {
        var (handle, options) = (OpaquePointer?.none, jsOptions())
        jsOptions_Init(&options)
        options.Wait = Self.wait
        try check(natsConnection_JetStream(&handle, connection.handle, &options), "natsConnection_JetStream")
        guard let handle else { throw NATSError(.refused, "natsConnection_JetStream", "nothing came back") }
        (self.handle, self.connection) = (handle, connection)
    }

    deinit { jsCtx_Destroy(handle) }

    // MARK: Creating

    package struct Stream: Sendable, Hashable {
        package var name: String
        package var subject: String
        /// Whether a message is removed when a consumer acknowledges it; else the oldest are removed beyond
        /// `maxMessages`.
        package var isWorkQueue = false
        package var maxMessages: Int64 = -1
        package var maxMessagesPerSubject: Int64 = -1
        /// Seconds; 0 for no limit.
        package var maxAge = 0.0

        package init(_ name: String, subject: String) { (self.name, self.subject) = (name, subject) }
    }

    /// Creates a stream if there is none with its name. An existing one is not changed, because it may have been tuned.
    package func ensure(_ stream: Stream, replicas: Int) throws(NATSError) {
        if try exists(stream) { return }
        var code = jsErrCode(0)
        let texts = Texts()
        var settings = jsStreamConfig()
        jsStreamConfig_Init(&settings)
        settings.Name = texts.keep(stream.name)
        var subjects: [UnsafePointer<CChar>?] = [texts.keep(stream.subject)]
        settings.Retention = stream.isWorkQueue ? js_WorkQueuePolicy : js_LimitsPolicy
        settings.Storage = js_FileStorage
        settings.Replicas = Int64(replicas)
        settings.MaxMsgs = stream.maxMessages
        settings.MaxAge = Int64(stream.maxAge * 1e9)
        settings.MaxMsgsPerSubject = stream.maxMessagesPerSubject
        let status = subjects.withUnsafeMutableBufferPointer { subjects in
            settings.Subjects = subjects.baseAddress
            settings.SubjectsLen = 1
            return js_AddStream(nil, handle, &settings, nil, &code)
        }
        // Another host may have been faster.
        if code == JSStreamNameExistErr { return }
        try check(status, "make stream '\(stream.name)'", code)
        withExtendedLifetime(texts) {}
    }

    private func exists(_ stream: Stream) throws(NATSError) -> Bool {
        var (found, code) = (UnsafeMutablePointer<jsStreamInfo>?.none, jsErrCode(0))
        defer { jsStreamInfo_Destroy(found) }
        let status = js_GetStreamInfo(&found, handle, stream.name, nil, &code)
        if status == NATS_OK { return true }
        if status == NATS_NOT_FOUND || code == JSStreamNotFoundErr { return false }
        throw NATSError(status, code, "look for stream '\(stream.name)'")
    }

    package struct Consumer: Sendable, Hashable {
        package var stream: String
        package var name: String
        /// The subjects of the stream that it receives; may contain wildcards.
        package var subject: String
        /// The seconds after which an unacknowledged message is redelivered.
        package var ackSeconds: Double
        package var maxPending: Int64 = 1000

        package init(_ name: String, of stream: String, subject: String, ackSeconds: Double) {
            (self.name, self.stream, self.subject, self.ackSeconds) = (name, stream, subject, ackSeconds)
        }
    }

    /// Creates a durable consumer if there is none with its name.
    package func ensure(_ consumer: Consumer) throws(NATSError) {
        var (found, code) = (UnsafeMutablePointer<jsConsumerInfo>?.none, jsErrCode(0))
        defer { jsConsumerInfo_Destroy(found) }
        if js_GetConsumerInfo(&found, handle, consumer.stream, consumer.name, nil, &code) == NATS_OK { return }
        let texts = Texts()
        var settings = jsConsumerConfig()
        jsConsumerConfig_Init(&settings)
        settings.Durable = texts.keep(consumer.name)
        settings.FilterSubject = texts.keep(consumer.subject)
        settings.DeliverPolicy = js_DeliverAll
        settings.AckPolicy = js_AckExplicit
        settings.AckWait = Int64(consumer.ackSeconds * 1e9)
        settings.MaxDeliver = -1
        settings.MaxAckPending = consumer.maxPending
        try check(
            js_AddConsumer(nil, handle, consumer.stream, &settings, nil, &code), "make consumer '\(consumer.name)'",
            code)
        withExtendedLifetime(texts) {}
    }

    /// Subscribes to an existing consumer. Fetched messages must be acknowledged.
    package func subscribe(to consumer: Consumer) throws(NATSError) -> NATSSubscription {
        let texts = Texts()
        var (subscription, code, options) = (OpaquePointer?.none, jsErrCode(0), jsSubOptions())
        jsSubOptions_Init(&options)
        // Bound to the stream, this client does not delete the consumer when it disconnects.
        options.Stream = texts.keep(consumer.stream)
        options.Consumer = texts.keep(consumer.name)
        let status = js_PullSubscribe(
            &subscription, handle, consumer.subject, consumer.name, nil, &options, &code)
        try check(status, "consume '\(consumer.name)'", code)
        withExtendedLifetime(texts) {}
        guard let subscription else { throw NATSError(.refused, "consume '\(consumer.name)'", "nothing came back") }
        return NATSSubscription(subscription, of: connection)
    }

    /// - Parameter seconds: How long a value is kept; nil for no limit.
    package func bucket(_ name: String, seconds: Double?, replicas: Int) throws(NATSError) -> KeyValueBucket {
        var bucket: OpaquePointer?
        if js_KeyValue(&bucket, handle, name) != NATS_OK {
            let texts = Texts()
            var settings = kvConfig()
            kvConfig_Init(&settings)
            settings.Bucket = texts.keep(name)
            settings.History = 1
            settings.TTL = Int64((seconds ?? 0) * 1e9)
            settings.Replicas = Int32(replicas)
            settings.StorageType = js_FileStorage
            try check(js_CreateKeyValue(&bucket, handle, &settings), "make bucket '\(name)'")
            withExtendedLifetime(texts) {}
        }
        guard let bucket else { throw NATSError(.refused, "open bucket '\(name)'", "nothing came back") }
        return KeyValueBucket(bucket, name, of: self)
    }

    // MARK: Messages

    /// The condition under which a message is stored.
    package enum Expectation: Sendable, Hashable {
        /// The subject has no message.
        case none
        /// The subject's last message has this number.
        case last(UInt64)
    }

    /// Stores a message. When this returns, it is on the server's disk.
    ///
    /// - Returns: its number.
    /// - Throws: `.conflict` if the expectation is not met.
    @discardableResult
    package func store(
        _ text: String, as subject: String, expecting: Expectation? = nil
    ) throws(NATSError) -> UInt64 {
        var (stored, code, options) = (UnsafeMutablePointer<jsPubAck>?.none, jsErrCode(0), jsPubOptions())
        jsPubOptions_Init(&options)
        switch expecting {
        case .last(let sequence): options.ExpectLastSubjectSeq = sequence
        case .some(.none): options.ExpectNoMessage = true
        case nil: break
        }
        let bytes = Array(text.utf8)
        let status = bytes.withUnsafeBytes {
            js_Publish(&stored, handle, subject, $0.baseAddress, Int32($0.count), &options, &code)
        }
        try check(status, "store '\(subject)'", code)
        defer { jsPubAck_Destroy(stored) }
        return stored?.pointee.Sequence ?? 0
    }

    /// Returns the last message of a subject, and the value of one of its headers.
    ///
    /// The stream's leader responds, which has everything that was stored. Key-value gets (C: `kvStore_Get`) may be
    /// answered by a replica that lags.
    package func last(
        of stream: String, subject: String, header: String
    ) throws(NATSError) -> (text: String, header: String?, sequence: UInt64)? {
        var (message, code) = (OpaquePointer?.none, jsErrCode(0))
        let status = js_GetLastMsg(&message, handle, stream, subject, nil, &code)
        if code == JSNoMessageFoundErr { return nil }
        try check(status, "read '\(subject)'", code)
        guard let message else { return nil }
        defer { natsMsg_Destroy(message) }
        var value: UnsafePointer<CChar>?
        let hasHeader = natsMsgHeader_Get(message, header, &value) == NATS_OK
        let bytes = UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
        return (
            String(decoding: bytes, as: UTF8.self), hasHeader ? value.map { String(cString: $0) } : nil,
            natsMsg_GetSequence(message)
        )
    }
}

/// C strings that live as long as this object.
private final class Texts {
    private var kept: [UnsafeMutablePointer<CChar>] = []

    deinit { kept.forEach { free($0) } }

    func keep(_ text: String) -> UnsafePointer<CChar>? {
        guard let copy = strdup(text) else { return nil }
        kept.append(copy)
        return UnsafePointer(copy)
    }
}
