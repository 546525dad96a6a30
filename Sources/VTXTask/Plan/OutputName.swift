package import VTXMedia
import VTXSystem

/// The name of an output that replaces its source.
package enum OutputName {
    /// Returns the target of a symbolic link; any other path is returned unchanged.
    package static func target(of input: String) -> String {
        guard FileStatus(input, followsLinks: false)?.kind == .symbolicLink else { return input }
        return FileName.resolved(input) ?? input
    }

    /// Returns the source's name, with the extension `.mp4` if its own is not a container that vtx writes or that
    /// supports the codec.
    package static func replacing(_ input: String, with codec: VideoCodec?) -> String {
        let (stem, pathExtension) = FileName.split(target(of: input))
        let kept = Container.outputExtension(likeInput: pathExtension, for: codec)
        return kept == pathExtension ? target(of: input) : "\(stem).\(kept)"
    }
}
