import VTXFFmpeg

extension InputStream {
    /// As what the stream is counted and chosen: a cover picture is a video stream to libavformat, and an attachment to
    /// everybody else.
    var countedKind: StreamKind { isCoverArt ? .attachment : kind }
}
