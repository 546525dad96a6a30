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
        var entry: OpaquePointer?
        let status = kvStore_Get(&entry, handle, key)
        if status == NATS_NOT_FOUND { return nil }
        try check(status, "read '\(key)'")
        defer { kvEntry_Destroy(entry) }
        let bytes = UnsafeRawBufferPointer(start: kvEntry_Value(entry), count: Int(kvEntry_ValueLen(entry)))
        return (String(decoding: bytes, as: UTF8.self), kvEntry_Revision(entry))
    }

    /// - Returns: the new revision; nil if the key already has a value.
    package func create(_ key: String, _ text: String) throws(NATSError) -> UInt64? {
        try swap(key, text, .none)
    }

    /// - Returns: the new revision; nil if the key has another one than given.
    package func replace(_ key: String, _ text: String, revision: UInt64) throws(NATSError) -> UInt64? {
        try swap(key, text, .last(revision))
    }

    private func swap(
        _ key: String, _ text: String, _ expected: JetStream.Expectation
    ) throws(NATSError) -> UInt64? {
        do throws(NATSError) {
            return try jetStream.store(text, as: "$KV.\(name).\(key)", expecting: expected)
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
