package import VTXSystem

/// The statistics of the first of two passes for the second, in a directory of their own because encoders add other
/// files. The directory is deleted with its last owner.
package final class PassStatistics: Sendable {
    private let directory: String

    package init() throws(SystemError) { directory = try Directory.makeTemporary("vtx-passes") }

    deinit { Directory.removeTree(directory) }

    package var path: String { "\(directory)/frames.log" }
}
