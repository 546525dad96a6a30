import VTXSystem

/// VobSub's subtitles: an index, and their pictures in another file.
package enum VobSub {
    /// Returns the paths that the pictures of an index may have; none for another file.
    package static func pictures(of path: String) -> [String] {
        let (stem, pathExtension) = FileName.split(path)
        return pathExtension.lowercased() == "idx" ? [stem + ".sub", stem + ".SUB"] : []
    }
}
