import VTXMedia

extension DeviceSelector {
    /// - Parameter text: as a session's configuration names a device; nil for any.
    /// - Throws: `.badParameter` for what names none.
    init(configured text: String?) throws(SessionError) {
        guard let text else {
            self = .auto
            return
        }
        guard let selector = DeviceSelector(text) else {
            throw SessionError(.badParameter, "'\(text)' names no device; allowed: \(Self.forms)")
        }
        self = selector
    }
}
