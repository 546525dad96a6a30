import CFFmpeg
import CVTXShims

/// libavfilter, which is loaded at its first use.
enum FilterLibrary {
    /// - Throws: `AVERROR_FILTER_NOT_FOUND` if the library is not installed.
    static func functions() throws(FFmpegError) -> vtx_filter_library {
        guard let library = vtx_filter_library() else { throw FFmpegError("dlopen", vtx_error_filter_not_found) }
        return library.pointee
    }

    /// Its version (C: `AV_VERSION_INT`); nil if the library is not installed.
    static var version: UInt32? { vtx_filter_library()?.pointee.avfilter_version() }

    static func has(_ filter: String) -> Bool { vtx_filter_library()?.pointee.avfilter_get_by_name(filter) != nil }
}
