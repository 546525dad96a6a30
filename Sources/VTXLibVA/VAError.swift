/// A libva call that failed: `vaErrorStr`'s words and the call's name.
package struct VAError: Error, Sendable, Hashable {
    /// A `VAStatus`; never `VA_STATUS_SUCCESS`.
    package var status: Int32
    /// The C function.
    package var call: String

    package init(status: Int32, call: String) {
        self.status = status
        self.call = call
    }
}
