/// A server-sent event (HTML, section 9.2).
package struct ServerSentEvent: Sendable, Hashable {
    /// nil for an event that the server has not stored.
    package var id: Int64?
    package var type = "message"
    package var data = ""

    package init(id: Int64? = nil, type: String = "message", data: String = "") {
        (self.id, self.type, self.data) = (id, type, data)
    }
}

/// Parses a stream of server-sent events incrementally.
package struct ServerSentEvents {
    private var rest: [UInt8] = []
    private var event = ServerSentEvent()

    package init() {}

    /// Returns the events that these bytes complete.
    package mutating func add(_ bytes: [UInt8]) -> [ServerSentEvent] {
        rest += bytes
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = rest[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let events = lines.compactMap { line(String(decoding: $0, as: UTF8.self)) }
        rest.removeSubrange(...end)
        return events
    }

    /// - Returns: the event, if an empty line completes it.
    private mutating func line(_ line: String) -> ServerSentEvent? {
        if line.isEmpty {
            defer { event = ServerSentEvent() }
            return event.data.isEmpty ? nil : event
        }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let value = String(parts[1].hasPrefix(" ") ? parts[1].dropFirst() : parts[1])
        switch parts[0] {
        case "id": event.id = Int64(value)
        case "event": event.type = value
        case "data": event.data += event.data.isEmpty ? value : "\n" + value
        default: break
        }
        return nil
    }
}
