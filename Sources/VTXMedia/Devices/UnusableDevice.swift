/// A device that is here, that one would expect to work, and that cannot be used.
package struct UnusableDevice: Sendable, Hashable, Codable {
    package var selectors: Set<DeviceSelector>
    /// One sentence that names it.
    package var reason: String
    /// What to do; nil where nothing helps.
    package var hint: Message?
    /// Its driver crashed or hung: a job goes on without it, also where it was asked for by its name.
    package var isFaulty: Bool

    package init(selectors: Set<DeviceSelector>, reason: String, hint: Message?, isFaulty: Bool = false) {
        self.selectors = selectors
        self.reason = reason
        self.hint = hint
        self.isFaulty = isFaulty
    }
}
