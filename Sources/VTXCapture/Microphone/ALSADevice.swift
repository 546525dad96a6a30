import CALSA
import Glibc
import VTXSystem

/// An open microphone.
protocol AudioDevice: AnyObject {
    var sampleRate: Int { get }
    var channelCount: Int { get }

    /// Starts recording.
    func start() throws(SystemError)
    /// Returns the samples recorded since the last call; nil if there are none. If samples were lost, the next block's
    /// time shows it.
    func read() throws(SystemError) -> AudioBlock?
}

/// Consecutive samples: 16 bits, interleaved.
struct AudioBlock: Sendable {
    var bytes: [UInt8]
    /// The time of the first sample, in seconds on the monotonic clock.
    var time: Double
}

/// An ALSA capture device (C: `snd_pcm_t`).
final class ALSADevice: AudioDevice {
    let sampleRate: Int
    let channelCount: Int
    private let pcm: OpaquePointer
    private var frameByteCount: Int { channelCount * 2 }

    /// The size of ALSA's buffer, in microseconds.
    private static let bufferTime: UInt32 = 1_000_000
    /// The interval at which the device signals new samples, in microseconds.
    private static let periodTime: UInt32 = 20_000
    /// A driver's timestamp that differs by more uses another clock. In seconds.
    private static let maxDelay = 5.0

    init(_ name: String) throws(SystemError) {
        alsa_be_quiet()
        var opened: OpaquePointer?
        try check(snd_pcm_open(&opened, name, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK), "snd_pcm_open '\(name)'")
        guard let opened else { throw SystemError("snd_pcm_open '\(name)'", ENODEV) }
        do throws(SystemError) {
            (sampleRate, channelCount) = try Self.setFormat(of: opened)
            try Self.setClock(of: opened)
        } catch {
            snd_pcm_close(opened)
            throw error
        }
        pcm = opened
    }

    deinit { snd_pcm_close(pcm) }

    /// Selects 48 kHz stereo, or the nearest format.
    private static func setFormat(of pcm: OpaquePointer) throws(SystemError) -> (rate: Int, channels: Int) {
        var hardware: OpaquePointer?
        try check(snd_pcm_hw_params_malloc(&hardware), "snd_pcm_hw_params_malloc")
        defer { snd_pcm_hw_params_free(hardware) }
        var (rate, channels, buffer, period) = (UInt32(48_000), UInt32(2), bufferTime, periodTime)
        try check(snd_pcm_hw_params_any(pcm, hardware), "snd_pcm_hw_params_any")
        try check(
            snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "snd_pcm_hw_params_set_access")
        try check(snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16_LE), "snd_pcm_hw_params_set_format")
        try check(snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels), "snd_pcm_hw_params_set_channels_near")
        try check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil), "snd_pcm_hw_params_set_rate_near")
        try check(
            snd_pcm_hw_params_set_buffer_time_near(pcm, hardware, &buffer, nil),
            "snd_pcm_hw_params_set_buffer_time_near")
        try check(
            snd_pcm_hw_params_set_period_time_near(pcm, hardware, &period, nil),
            "snd_pcm_hw_params_set_period_time_near")
        try check(snd_pcm_hw_params(pcm, hardware), "snd_pcm_hw_params")
        return (Int(rate), Int(channels))
    }

    /// Selects the monotonic clock, which cameras use.
    private static func setClock(of pcm: OpaquePointer) throws(SystemError) {
        var software: OpaquePointer?
        try check(snd_pcm_sw_params_malloc(&software), "snd_pcm_sw_params_malloc")
        defer { snd_pcm_sw_params_free(software) }
        try check(snd_pcm_sw_params_current(pcm, software), "snd_pcm_sw_params_current")
        // Devices without timestamps use the time of the call.
        snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE)
        snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)
        try check(snd_pcm_sw_params(pcm, software), "snd_pcm_sw_params")
    }

    func start() throws(SystemError) {
        try check(snd_pcm_prepare(pcm), "snd_pcm_prepare")
        try check(snd_pcm_start(pcm), "snd_pcm_start")
    }

    func read() throws(SystemError) -> AudioBlock? {
        let available = snd_pcm_avail(pcm)
        // Nothing has read for a second, or the machine was suspended: the buffer is lost.
        if available == -Int(EPIPE) || available == -Int(ESTRPIPE) {
            try start()
            return nil
        }
        try check(Int32(clamping: available), "snd_pcm_avail")
        guard available > 0 else { return nil }
        let time = beginning(of: available)
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: available * frameByteCount) { buffer, filled in
            count = snd_pcm_readi(pcm, buffer.baseAddress, UInt(available))
            filled = max(0, count) * frameByteCount
        }
        guard count != -Int(EAGAIN) else { return nil }
        if count == -Int(EPIPE) || count == -Int(ESTRPIPE) {
            try start()
            return nil
        }
        try check(Int32(clamping: count), "snd_pcm_readi")
        return AudioBlock(bytes: bytes, time: time)
    }

    /// Returns the time of the first of the buffered samples.
    private func beginning(of available: Int) -> Double {
        let now = MonotonicClock.seconds
        var (waiting, stamp) = (UInt(available), timespec())
        let status = snd_pcm_htimestamp(pcm, &waiting, &stamp)
        let time = Double(stamp.tv_sec) + Double(stamp.tv_nsec) / 1e9
        let isKnown = status == 0 && abs(time - now) < Self.maxDelay
        return (isKnown ? time : now) - Double(isKnown ? Int(waiting) : available) / Double(sampleRate)
    }
}

/// ALSA returns errors as negative numbers.
private func check(_ status: Int32, _ call: String) throws(SystemError) {
    if status < 0 { throw SystemError(call, -status) }
}
