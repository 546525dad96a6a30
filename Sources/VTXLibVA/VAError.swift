import CLibVA

/// A failed libva call, with the message of `vaErrorStr`.
package struct VAError: Error, Sendable, Hashable {
    /// A `VAStatus`; never `VA_STATUS_SUCCESS`.
    package var status: Int32
    /// The C function.
    package var call: String

    package init(status: Int32, call: String) {
        self.status = status
        self.call = call
    }

    /// The meaning of an error, independent of the call.
    package enum Kind: Sendable, Hashable {
        /// The driver or the GPU stopped working midway.
        case deviceLost
        case allocationFailed
        /// Not supported by this driver or GPU; a retry does not help.
        case unsupported
        /// The call itself was wrong: an invalid ID, size or value.
        case badParameter
        /// A retry may succeed.
        case busy
        /// A frame could not be decoded or encoded.
        case codingFailed
        case other
    }

    package var kind: Kind { statusTable[UInt32(bitPattern: status)]?.kind ?? .other }

    /// The constant of va.h, for example `VA_STATUS_ERROR_HW_BUSY`; nil for an unknown number.
    package var name: String? { statusTable[UInt32(bitPattern: status)]?.name }

    /// libva's message, for example `invalid VASurfaceID`; there is none for unknown statuses.
    package var reason: String {
        if name == nil { return "VAStatus \(status)" }
        return vaErrorStr(status).map { String(cString: $0) } ?? "VAStatus \(status)"
    }
}

extension VAError: CustomStringConvertible {
    package var description: String { "\(reason) (\(call))" }
}

/// Converts a `VAStatus` to an error. The only place that does.
func check(_ status: VAStatus, _ call: StaticString) throws(VAError) {
    if status != VA_STATUS_SUCCESS { throw VAError(status: status, call: "\(call)") }
}

/// `VA_STATUS_ERROR_*` of va.h, identical in libva 2.17 to 2.22.
private let statusTable: [UInt32: (name: String, kind: VAError.Kind)] = [
    0x01: ("VA_STATUS_ERROR_OPERATION_FAILED", .deviceLost),
    0x02: ("VA_STATUS_ERROR_ALLOCATION_FAILED", .allocationFailed),
    0x03: ("VA_STATUS_ERROR_INVALID_DISPLAY", .badParameter),
    0x04: ("VA_STATUS_ERROR_INVALID_CONFIG", .badParameter),
    0x05: ("VA_STATUS_ERROR_INVALID_CONTEXT", .badParameter),
    0x06: ("VA_STATUS_ERROR_INVALID_SURFACE", .badParameter),
    0x07: ("VA_STATUS_ERROR_INVALID_BUFFER", .badParameter),
    0x08: ("VA_STATUS_ERROR_INVALID_IMAGE", .badParameter),
    0x09: ("VA_STATUS_ERROR_INVALID_SUBPICTURE", .badParameter),
    0x0a: ("VA_STATUS_ERROR_ATTR_NOT_SUPPORTED", .unsupported),
    0x0b: ("VA_STATUS_ERROR_MAX_NUM_EXCEEDED", .allocationFailed),
    0x0c: ("VA_STATUS_ERROR_UNSUPPORTED_PROFILE", .unsupported),
    0x0d: ("VA_STATUS_ERROR_UNSUPPORTED_ENTRYPOINT", .unsupported),
    0x0e: ("VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT", .unsupported),
    0x0f: ("VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE", .unsupported),
    0x10: ("VA_STATUS_ERROR_SURFACE_BUSY", .busy),
    0x11: ("VA_STATUS_ERROR_FLAG_NOT_SUPPORTED", .unsupported),
    0x12: ("VA_STATUS_ERROR_INVALID_PARAMETER", .badParameter),
    0x13: ("VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED", .unsupported),
    0x14: ("VA_STATUS_ERROR_UNIMPLEMENTED", .unsupported),
    0x15: ("VA_STATUS_ERROR_SURFACE_IN_DISPLAYING", .busy),
    0x16: ("VA_STATUS_ERROR_INVALID_IMAGE_FORMAT", .unsupported),
    0x17: ("VA_STATUS_ERROR_DECODING_ERROR", .codingFailed),
    0x18: ("VA_STATUS_ERROR_ENCODING_ERROR", .codingFailed),
    0x19: ("VA_STATUS_ERROR_INVALID_VALUE", .badParameter),
    0x20: ("VA_STATUS_ERROR_UNSUPPORTED_FILTER", .unsupported),
    0x21: ("VA_STATUS_ERROR_INVALID_FILTER_CHAIN", .unsupported),
    0x22: ("VA_STATUS_ERROR_HW_BUSY", .busy),
    0x24: ("VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE", .unsupported),
    0x25: ("VA_STATUS_ERROR_NOT_ENOUGH_BUFFER", .badParameter),
    0x26: ("VA_STATUS_ERROR_TIMEDOUT", .deviceLost),
    // libva returns this if a driver cannot be opened.
    0xffff_ffff: ("VA_STATUS_ERROR_UNKNOWN", .other),
]
