import VTXTask

/// An argument that is known by its place.
struct Positional<Settings: CommandSettings>: Sendable {
    let description: PositionalDescription
    /// False when the text is not a value of the argument.
    let apply: @Sendable (inout Settings, String) -> Bool

    static func required<Value>(
        _ type: ValueType<Value>, into path: any Option<Settings>.Path<Value>, _ help: String
    ) -> Positional {
        let description = PositionalDescription(value: type.description, isRequired: true, help: help)
        return Positional(description: description) { settings, text in
            guard let value = type.read(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
    }

    static func optional<Value>(
        _ type: ValueType<Value>, into path: any Option<Settings>.Path<Value?>, _ help: String
    ) -> Positional {
        let description = PositionalDescription(value: type.description, isRequired: false, help: help)
        return Positional(description: description) { settings, text in
            guard let value = type.read(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
    }
}

/// The part of a positional argument that help, completions and messages need.
struct PositionalDescription: Sendable, Hashable {
    let value: ValueDescription
    let isRequired: Bool
    /// A sentence.
    let help: String

    var name: String { value.name }
    /// `INPUT`, or `[OUTPUT]` for one that may be left out.
    var synopsis: String { isRequired ? name : "[\(name)]" }
}
