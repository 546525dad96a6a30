/// Bytes that are not what the specification says, or end too early.
package enum BitstreamError: Error, Sendable, Hashable {
    /// The data ended in the middle of a syntax element.
    case truncated
    /// A syntax element holds a value that its clause forbids; the element's name and the value.
    case invalid(element: String, value: Int64)
}

extension BitstreamError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated: "the data ends too early"
        case .invalid(let element, let value): "\(element) is \(value), which is not allowed"
        }
    }
}
