import VTXFFmpeg
import VTXMedia

extension Source {
    /// Returns the decoding times of the video's key frames, in its ticks; nil if the container has no index, or it has
    /// not been read yet.
    ///
    /// - Parameter seconds: The duration of the video; nil if unknown.
    func indexedKeyFrames(seconds: Double?) -> [Int64]? {
        let keyFrames = demuxer.indexedKeyFrames(of: video.index)
        guard let first = keyFrames.first, let last = keyFrames.last, let seconds,
            MediaTime(last - first, video.timeBase).seconds > seconds / 2
        else { return nil }
        return keyFrames
    }
}
