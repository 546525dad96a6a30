package import VTXMedia
package import VTXSystem

/// Puts a byte stream (Annex B) into a container; nothing is coded again, and no NAL unit is lost.
///
/// It reads the stream twice: how far decoding has to be ahead of presentation, and whether parameter sets come again,
/// is known at its end, and belongs in the container's beginning.
package struct MuxJob: Sendable, Hashable, Codable {
    package var input: String
    package var output: String
    package var overwrite: OverwritePolicy = .refuse
    /// Frames a second; nil takes what the stream says.
    package var frameRate: Rational?
    package var parameterSets = ParameterSetPolicy.auto

    package enum ParameterSetPolicy: String, Sendable, Hashable, CaseIterable, Codable {
        /// In the container's record where that loses nothing, else in the samples.
        case auto
        /// In the record: those that come again, without a change, are left out.
        case record
    }

    package init(input: String, output: String) {
        self.input = input
        self.output = output
    }
}
