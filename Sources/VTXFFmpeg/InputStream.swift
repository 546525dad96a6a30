package import VTXMedia

/// A stream of an opened file: what is said of it, and what it takes to decode or copy it.
@dynamicMemberLookup
package struct InputStream: Sendable {
    package var info: StreamInfo
    package var parameters: CodecParameters
    /// A cover picture's bytes; empty for other streams.
    package var attachedPicture: [UInt8] = []

    package subscript<Value>(dynamicMember path: WritableKeyPath<StreamInfo, Value>) -> Value {
        get { info[keyPath: path] }
        set { info[keyPath: path] = newValue }
    }

    package subscript<Value>(dynamicMember path: KeyPath<StreamInfo, Value>) -> Value { info[keyPath: path] }
}

extension InputStream {
    /// A stream without a container: all that is known are its parameter sets, in Annex B.
    package init(_ codec: VideoCodec, parameterSets: [UInt8], timeBase: Rational) throws(FFmpegError) {
        let parameters = try CodecParameters(video: codec, extradata: parameterSets)
        self.init(info: StreamInfo(index: 0, parameters, timeBase: timeBase), parameters: parameters)
    }
}

extension StreamInfo {
    /// What the parameters say; the container adds the rest.
    init(index: Int, _ parameters: CodecParameters, timeBase: Rational) {
        self.init(
            index: index, kind: parameters.kind, codecName: parameters.codecName, codecTag: parameters.codecTag,
            timeBase: timeBase)
        profileName = parameters.profileName
        bitrate = parameters.bitrate
        switch kind {
        case .video:
            size = parameters.size
            pixelFormat = parameters.pixelFormat
            color = parameters.color
            isInterlaced = parameters.isInterlaced
        case .audio:
            sampleRate = parameters.sampleRate
            channelCount = parameters.channelCount
        case .subtitle, .data, .attachment: break
        }
    }
}
