package import VTXSystem

/// Takes a container's video out as a byte stream (Annex B); nothing is coded again.
///
/// The stream has each packet's NAL units, in order, after start codes of four bytes. Parameter sets that only the
/// container's record holds stand before the first picture, after its access unit delimiter if there is one.
package struct ExtractJob: Sendable, Hashable, Codable {
    package var input: String
    /// nil: a name beside the input.
    package var output: String?
    package var overwrite: OverwritePolicy = .refuse
    /// Which of the moving video streams, from 0.
    package var videoPosition = 0
    /// Leave out access unit delimiters, which MPEG-TS demands and others do not need.
    package var dropsDelimiters = false

    package init(input: String) { self.input = input }
}
