import VTXFFmpeg
package import VTXTask

extension LibraryVersion {
    /// The libraries that this process runs with.
    package static var linked: [LibraryVersion] {
        FFmpegVersions.linked.map { LibraryVersion(name: $0.name, version: $0.version) }
    }
}
