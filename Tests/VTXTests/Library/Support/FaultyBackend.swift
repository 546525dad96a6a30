import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem

@testable import VTX

enum SharedBackendsWithoutHardware {
    static let backends = SharedBackends { [SoftwareBackend()] }
}

/// Software codecs that act as a GPU with scripted failures.
final class FaultyBackend: VideoBackend {
    /// The failures, with calls counted over all sessions from 1.
    struct Faults: Sendable {
        var openings: ClosedRange<Int>?
        var encodes: ClosedRange<Int>?
        var decodes: ClosedRange<Int>?
        var filters: ClosedRange<Int>?
        var filterOpenings: ClosedRange<Int>?
        /// Its encoder has another preset, and so different parameter sets than software's.
        var hasOtherParameterSets = false
        var code = SessionError.Code.hardwareMalfunction
    }

    let isHardware = true
    let counts = Locked(Counts())
    private let software = SoftwareBackend()
    fileprivate let faults: Faults

    struct Counts: Sendable {
        var openings = 0
        var encodes = 0
        var decodes = 0
        var filters = 0
        var filterOpenings = 0
    }

    init(_ faults: Faults) { self.faults = faults }

    /// The GPU, and the software below it.
    static func backends(_ backend: FaultyBackend) -> SharedBackends {
        SharedBackends { [backend, SoftwareBackend()] }
    }

    func probe() -> [CapabilityMatrix] {
        software.probe().map { matrix in
            var matrix = matrix
            (matrix.device, matrix.deviceName, matrix.isHardware) = (DeviceID("gpu"), "a faulty GPU", true)
            matrix.selectors = [.path("/dev/gpu")]
            return matrix
        }
    }

    func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession {
        try count(\.openings, faults.openings, .notAvailableNow)
        guard let matrix = probe().first else { throw SessionError(.notAvailableNow, "no software") }
        return Session(
            owner: self, capabilities: matrix,
            software: try software.openSession(on: SoftwareBackend.device))
    }

    fileprivate func count(
        _ call: WritableKeyPath<Counts, Int>, _ faulty: ClosedRange<Int>?,
        _ code: SessionError.Code? = nil
    ) throws(SessionError) {
        let number = counts.withLock { counts in
            counts[keyPath: call] += 1
            return counts[keyPath: call]
        }
        if faulty?.contains(number) ?? false {
            throw SessionError(code ?? faults.code, "the fake fails at call \(number)")
        }
    }

    fileprivate func countEncode() throws(SessionError) { try count(\.encodes, faults.encodes) }
    fileprivate func countDecode() throws(SessionError) { try count(\.decodes, faults.decodes) }
    fileprivate func countFilterOpening() throws(SessionError) {
        try count(\.filterOpenings, faults.filterOpenings, .unsupportedFormat)
    }
    fileprivate func countFilter() throws(SessionError) { try count(\.filters, faults.filters) }
}

private struct Session: DeviceSession {
    let owner: FaultyBackend
    let capabilities: CapabilityMatrix
    let software: any DeviceSession

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder {
        Decoder(owner: owner, software: try software.makeDecoder(configuration))
    }

    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter {
        try owner.countFilterOpening()
        return Filter(owner: owner, software: try software.makeFilter(configuration))
    }

    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder {
        var configuration = configuration
        if owner.faults.hasOtherParameterSets { configuration.preset = .quality }
        return Encoder(owner: owner, software: try software.makeEncoder(configuration, after: failures))
    }

    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter { PassThrough() }
    func makeUpload() throws(SessionError) -> any VideoFilter { PassThrough() }
    func ffmpegArguments(for configuration: EncoderConfiguration, in mode: EncodingMode?) -> [String] { [] }
    func ffmpegFilters(for configuration: FilterConfiguration, source: FrameFormat) -> [String] { [] }
    func ffmpegPlace(for format: PixelFormat) -> FFmpegPlace { FFmpegPlace() }
}

private struct Encoder: VideoEncoder {
    let owner: FaultyBackend
    let software: any VideoEncoder

    var parameters: CodecParameters { software.parameters }
    var compromises: [String] { [] }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        if frame != nil { try owner.countEncode() }
        try software.send(frame, forcesKeyFrame: forcesKeyFrame)
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> { try software.receive() }
}

private struct Decoder: VideoDecoder {
    let owner: FaultyBackend
    let software: any VideoDecoder

    func send(_ packet: Packet?) throws(SessionError) {
        if packet != nil { try owner.countDecode() }
        try software.send(packet)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try software.receive() }
    func reset() { software.reset() }
}

private struct Filter: VideoFilter {
    let owner: FaultyBackend
    let software: any VideoFilter

    func send(_ frame: Frame?) throws(SessionError) {
        if frame != nil { try owner.countFilter() }
        try software.send(frame)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try software.receive() }
}
