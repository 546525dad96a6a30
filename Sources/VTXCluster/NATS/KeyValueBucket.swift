import CNATS
import Glibc

/// Values by key. Each change has a revision, which increases across the whole bucket.
package final class KeyValueBucket: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer
    private let name: String
    private let jetStream: JetStream

    init(_ handle: OpaquePointer, _ name: String, of jetStream: JetStream) {
        (self.handle, self.name, self.jetStream) = (handle, name, jetStream)
    }

    deinit { kvStore_Destroy(handle) }

    package func value(_ key: String) throws(NATSError) -> (text: String, revision: UInt64)? {
        guard let last = try last(key), let text = last.text else { return nil }
        return (text, last.revision)
    }

    /// Returns the last change of a key; its text is nil if the value was removed.
    private func last(_ key: String) throws(NATSError) -> (text: String?, revision: UInt64)? {
        guard let last = try jetStream.last(of: "KV_\(name)", subject: subject(key), header: "KV-Operation") else {
            return nil
        }
        return (last.header == nil ? last.text : nil, last.sequence)
    }

    private func subject(_ key: String) -> String { "$KV.\(name).\(key)" }

    /// - Returns: the new revision; nil if the key already has a value.
    package func create(_ key: String, _ text: String) throws(NATSError) -> UInt64? {
        if let revision = try swap(key, text, .none) { return revision }
        // A removed value has left a marker.
        guard let last = try last(key), last.text == nil else { return nil }
        return try swap(key, text, .last(last.revision))
    }

    /// - Returns: the new revision; nil if the key has another one than given.
    package func replace(_ key: String, _ text: String, revision: UInt64) throws(NATSError) -> UInt64? {
        try swap(key, text, .last(revision))
    }

    private func swap(
        _ key: String, _ text: String, _ expected: JetStream.Expectation
    ) throws(NATSError) -> UInt64? {
        do throws(NATSError) {
            return try jetStream.store(text, as: subject(key), expecting: expected)
        } catch {
            if error.kind == .conflict { return nil }
            throw error
        }
    }

    package func put(_ key: String, _ text: String) throws(NATSError) {
        try check(kvStore_PutString(nil, handle, key, text), "write '\(key)'")
    }

    /// Replaces the value with a marker, as with any change. A purge could make slow consumers miss a change of another
    /// key.
    package func remove(_ key: String) throws(NATSError) {
        try check(kvStore_Delete(handle, key), "remove '\(key)'")
    }

    package func keys() throws(NATSError) -> [String] {
        var list = kvKeysList()
        let status = kvStore_Keys(&list, handle, nil)
        if status == NATS_NOT_FOUND { return [] }
        try check(status, "list '\(name)'")
        defer { kvKeysList_Destroy(&list) }
        return (0..<Int(list.Count)).compactMap { list.Keys[$0].map { String(cString: $0) } }
    }
}
