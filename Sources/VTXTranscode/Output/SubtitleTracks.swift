import Glibc
import VTXSystem

/// MP4's and QuickTime's subtitle tracks: an enabled one is shown without being asked for (ISO/IEC 14496-12, 8.3.2:
/// `track_enabled`).
///
/// Where no subtitle is the default one, libavformat enables the first, and no option forbids it.
enum SubtitleTracks {
    static func disableAll(in path: String) throws(SystemError) {
        let movie = try MovieBoxes(FileDescriptor(opening: path, O_RDWR))
        for track in movie.all("moov/trak") where isSubtitle(track, of: movie) {
            // `track_enabled` is the lowest bit of the flags, which follow a byte of version.
            guard let flags = movie.all("tkhd", in: track).first.map({ $0.body.lowerBound + 3 }),
                let byte = movie.bytes(1, at: flags)
            else { continue }
            try movie.write(byte[0] & ~1, at: flags)
        }
    }

    private static func isSubtitle(_ track: MovieBoxes.Box, of movie: borrowing MovieBoxes) -> Bool {
        // Version, flags and pre_defined come before the handler's type.
        movie.all("mdia/hdlr", in: track).contains {
            ["sbtl", "subp", "text"].contains(movie.text(at: $0.body.lowerBound + 8))
        }
    }
}
