import CSystem
import Glibc
import VTXHTTP
import VTXPlaylist
import VTXSystem

/// The files of a live server's directory, as it sends them.
final class LiveFiles: Sendable {
    enum Answer: Sendable {
        case response(HTTPResponse)
        /// The file may change so that there is a response.
        case wait(seconds: Double)
    }

    /// Tells versions of a playlist apart.
    private struct Version: Hashable {
        var identity: FileIdentity
        var modificationTime: Int64
        var byteCount: Int64
    }

    private struct Known {
        var version: Version
        var playlist: ServedPlaylist
    }

    /// The directory's path. It is opened for each request: it may be removed and created again.
    let root: String
    /// The live playlists that have been requested, by path. Hundreds of players ask for the same version.
    private let playlists = Locked<[String: Known]>([:])
    /// Larger files are sent as they are.
    private static let playlistLimit = 16 << 20
    /// After this many target durations, a playlist or a part is no longer waited for.
    private let targetDurations: Double

    init(_ path: String, targetDurations: Double) throws(Problem) {
        self.targetDurations = targetDurations
        do throws(SystemError) {
            let directory = try RootDirectory(path)
            root = path.hasPrefix("/") ? path : directory.path
        } catch { throw Problem(400, "directory.unusable", "'\(path)' cannot be served: \(error.reason)") }
    }

    func answer(_ request: LiveRequest) throws(Problem) -> Answer {
        guard let file = try open(request.path) else {
            playlists.withLock { $0[request.path] = nil }
            guard let seconds = secondsForHinted(request) else { throw Problem.missingFile(request.http.path) }
            return .wait(seconds: seconds)
        }
        if request.isPlaylist, let playlist = playlist(file, request.path) { return try answer(request, playlist) }
        let use = FileResponse.Use.published([
            ("Content-Type", request.mediaType), ("Cache-Control", Self.caching(request)),
        ])
        return .response(try FileResponse.response(file, as: use, to: request.http))
    }

    private func answer(_ request: LiveRequest, _ playlist: ServedPlaylist) throws(Problem) -> Answer {
        switch request.position.map(playlist.availability) ?? .now {
        case .now: return .response(HTTPResponse(200, MediaType.playlist, playlist.text))
        case .later: return .wait(seconds: seconds(playlist))
        case .tooFar: throw Problem(400, "playlist.tooFar", "the playlist is far from there: ask for what follows it")
        }
    }

    /// Why a request has waited for too long.
    static func late(_ request: LiveRequest) -> Problem {
        request.isPlaylist
            ? Problem(503, "playlist.late", "the playlist has not grown for three target durations")
            : Problem.missingFile(request.http.path)
    }

    private func seconds(_ playlist: ServedPlaylist) -> Double {
        targetDurations * Double(playlist.targetDuration)
    }

    /// Segments of fragmented MP4 get their names when they are complete. Other files may be growing recordings.
    private static func caching(_ request: LiveRequest) -> String {
        FileName.split(request.name).pathExtension == "m4s" ? "max-age=3600" : "no-cache"
    }

    // MARK: Playlists

    /// Reads a playlist that has changed, if it is known.
    func refresh(_ path: String) {
        guard playlists.withLock({ $0[path] != nil }) else { return }
        guard let file = try? open(path) else { return playlists.withLock { $0[path] = nil } }
        _ = playlist(file, path)
    }

    /// - Returns: nil for files that are no media playlists.
    private func playlist(_ file: SharedFile, _ path: String) -> ServedPlaylist? {
        guard let status = file.descriptor.status, status.byteCount <= Self.playlistLimit else { return nil }
        let version = Version(
            identity: status.identity, modificationTime: status.modificationTime, byteCount: status.byteCount)
        if let known = playlists.withLock({ $0[path] }), known.version == version { return known.playlist }
        let bytes = try? file.descriptor.read(at: 0, upTo: Int(status.byteCount))
        let text = String(decoding: bytes ?? [], as: UTF8.self)
        let playlist = ServedPlaylist(text, name: FileName.directory(of: path).name)
        let isLive = playlist?.hasEnded == false
        playlists.withLock { $0[path] = isLive ? playlist.map { Known(version: version, playlist: $0) } : nil }
        return playlist
    }

    /// Returns how long to wait for the part that a playlist hints at; nil for other files.
    private func secondsForHinted(_ request: LiveRequest) -> Double? {
        playlists.withLock { playlists in
            playlists.first {
                $0.value.playlist.hint == request.name && LiveRequest.directory(of: $0.key) == request.directory
            }.map { seconds($0.value.playlist) }
        }
    }

    // MARK: Opening

    /// - Returns: nil for a file that does not exist or is outside the directory.
    private func open(_ path: String) throws(Problem) -> SharedFile? {
        do throws(SystemError) {
            // Opening a named pipe would wait for its writer.
            let file = SharedFile(try RootDirectory(root).open(path, O_RDONLY | O_NONBLOCK))
            return file.descriptor.status?.kind == .regular ? file : nil
        } catch {
            guard [EMFILE, ENFILE, ENOMEM, EIO].contains(error.code) else { return nil }
            throw Problem(503, "file.unreadable", "'\(path)' cannot be opened: \(error.reason)")
        }
    }

    /// Opens a directory below, to be watched.
    func openDirectory(_ path: String) throws(SystemError) -> FileDescriptor {
        try RootDirectory(root).open(path, O_PATH | O_DIRECTORY)
    }
}
