import CNATS

/// A failed call to NATS.
package struct NATSError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable {
        /// No server is reachable. The connection recovers by itself.
        case unreachable
        /// The key, message, stream or consumer does not exist.
        case missing
        /// The key has been changed in the meantime.
        case conflict
        /// The message is larger than the server accepts.
        case tooLarge
        case refused
    }

    package var kind: Kind
    package var call: String
    package var reason: String

    package init(_ kind: Kind, _ call: String, _ reason: String) {
        (self.kind, self.call, self.reason) = (kind, call, reason)
    }

    package var description: String { "\(call): \(reason)" }
}

extension NATSError {
    init(_ status: natsStatus, _ code: jsErrCode, _ call: String) {
        let text = nats_GetLastError(nil).map { String(cString: $0) } ?? ""
        let reason = text.isEmpty ? String(cString: natsStatus_GetText(status)) : text
        let isOff = status == NATS_NO_RESPONDERS || code == JSNotEnabledErr
        self.init(
            Self.kind(status, code), call,
            isOff ? "JetStream does not answer; is it on in nats-server?" : reason)
    }

    private static func kind(_ status: natsStatus, _ code: jsErrCode) -> Kind {
        switch code {
        case JSStreamWrongLastSequenceErr: return .conflict
        case JSNoMessageFoundErr, JSStreamNotFoundErr, JSConsumerNotFoundErr: return .missing
        case JSStreamMessageExceedsMaximumErr: return .tooLarge
        case JSNotEnabledErr, JSClusterNotAvailErr, JSClusterNotLeaderErr: return .unreachable
        default: break
        }
        switch status {
        case NATS_NOT_FOUND: return .missing
        case NATS_MAX_PAYLOAD: return .tooLarge
        case NATS_TIMEOUT, NATS_NO_SERVER, NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED, NATS_IO_ERROR,
            NATS_STALE_CONNECTION, NATS_NO_RESPONDERS, NATS_NOT_YET_CONNECTED:
            return .unreachable
        default: return .refused
        }
    }
}

/// - Parameter code: JetStream's error code, in addition to the status.
func check(_ status: natsStatus, _ call: String, _ code: jsErrCode = jsErrCode(0)) throws(NATSError) {
    guard status == NATS_OK else { throw NATSError(status, code, call) }
}
