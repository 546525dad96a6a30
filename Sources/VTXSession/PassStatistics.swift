package import VTXSystem

/// What the first of two passes notes of each frame for the second, in a directory of its own: encoders put other files
/// beside it. It goes with its last owner.
package final class PassStatistics: Sendable {
    private let directory: String

    package init() throws(SystemError) { directory = try Directory.makeTemporary("vtx-passes") }

    deinit { Directory.removeTree(directory) }

    package var path: String { "\(directory)/frames.log" }
}
