package import VTXMedia

/// What the SPS of both codecs tell of a stream, derived from their syntax elements.
package protocol SequenceParameterSet: ParameterSet {
    /// What is decoded, in luma samples.
    var codedSize: PixelSize { get }
    /// What is shown: the coded size without what is cropped; zero where the offsets are larger than the picture.
    var displaySize: PixelSize { get }
    /// The shape of a sample; nil where nothing says so.
    var sampleAspectRatio: Rational? { get }
    var color: ColorDescription { get }
    /// Frames a second, in lowest terms; nil where there is no timing.
    var frameRate: Rational? { get }
    /// Of luma, in bits.
    var bitDepth: Int { get }
    var chroma: ChromaSampling { get }
    /// nil for profiles that vtx does not encode.
    var profile: VideoProfile? { get }
    /// By the name in Annex A.
    var profileName: String { get }
    /// `4.1`
    var levelName: String { get }
    /// Frames that may precede one in decoding order and follow it in output order.
    var maxReorder: Int { get }
}
