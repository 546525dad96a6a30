/// A type of value that options take: how its text is read, and what people and shells are told about it.
struct ValueType<Value>: Sendable {
    let description: ValueDescription
    /// nil for text that is not such a value.
    let read: @Sendable (String) -> Value?
    /// How help shows a default of this type; nil where that would say nothing.
    let write: @Sendable (Value) -> String?

    init(
        _ name: String, expects expected: String, completion: Completion = .nothing,
        write: @escaping @Sendable (Value) -> String? = { _ in nil },
        read: @escaping @Sendable (String) -> Value?
    ) {
        description = ValueDescription(name: name, expected: expected, completion: completion)
        self.read = read
        self.write = write
    }
}

/// What can be said about a type of value without naming the Swift type.
struct ValueDescription: Sendable, Hashable {
    /// How help names it: `N`, `WxH`.
    let name: String
    /// Completes "expected ...".
    let expected: String
    let completion: Completion
}

/// What a shell offers in a value's place.
enum Completion: Sendable, Hashable {
    case nothing
    case files
    /// The names of vtx's own commands.
    case commands
    case words([String])
}
