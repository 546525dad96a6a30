import Glibc
package import VTXMedia

extension AudioEncoderSettings {
    /// libswresample leaves the center 3 dB below the front, and lets sums of floating-point samples clip.
    private static let mixing = "clev=1:slev=0.5:lfe_mix_level=0:rematrix_maxval=1"

    /// Brings samples to the encoder's rate, format and layout.
    var form: String {
        "aresample=\(sampleRate):\(Self.mixing),aformat=sample_fmts=\(sampleFormat)"
            + ":sample_rates=\(sampleRate):channel_layouts=\(channelLayout)"
    }

    /// Mixes to the encoder's layout.
    package var mixingFilter: String {
        "aresample=\(sampleRate):\(Self.mixing),aformat=channel_layouts=\(channelLayout)"
    }

    /// The filters between the paced samples and the encoder.
    var filters: [String] { [loudnessFilter, form].compactMap(\.self) }

    /// The highest true peak of normalized audio, in dBTP. It leaves headroom for lossy encoders, which exceed their
    /// input's peaks.
    package var truePeakLimit: Double { bitrate == nil ? -1.5 : -3 }

    /// The filters that normalize the loudness; nil for none.
    package var loudnessFilter: String? {
        guard let loudness else { return nil }
        guard let gain = loudnessGain else { return "loudnorm=i=\(loudness):lra=11:tp=\(truePeakLimit)" }
        if gain.decibels == 0, gain.limited == nil { return nil }
        return "volume=\(gain.decibels)dB" + (gain.limited == nil ? "" : ",\(limiter)")
    }

    /// Limits the true peak: at four times the sample rate, the samples show the peaks between the original ones
    /// (ITU-R BS.1770). Without `asc`, `alimiter` lowers the gain too late and clips, which the way back to the
    /// encoder's rate turns into higher peaks.
    private var limiter: String {
        let oversampled = sampleRate * max(1, min(4, 192_000 / sampleRate))
        return
            "aresample=\(oversampled),alimiter=limit=\(pow(10, truePeakLimit / 20)):level=false:asc=true:latency=true"
    }
}

/// Measures the audio that an encoder with the same settings would get (EBU R 128).
package final class LoudnessMeter {
    private final class Reading {
        var loudness = MeasuredLoudness(integrated: nil, truePeak: LoudnessMeter.truePeak(0))
    }

    /// libavfilter's `ebur128` starts at the threshold of its absolute gate, in LUFS.
    private static let gate = -70.0

    /// The filter reports each tenth of a second. Silence does not change the integrated loudness.
    private static let padding = "apad=pad_dur=0.1"

    private let samples: PacedAudio
    private let reading = Reading()

    /// - Parameters:
    ///   - source: The stream that packets come from; nil if the input consists of frames.
    ///   - start: In seconds. Samples before it are not measured, as are samples at or after `end`.
    package init(
        _ source: InputStream?, _ settings: AudioEncoderSettings, from start: Double? = nil, to end: Double? = nil
    ) throws(FFmpegError) {
        let meter = [Self.padding, "ebur128=metadata=1:peak=true:framelog=verbose"]
        samples = try PacedAudio(
            source, settings, through: settings.filters + meter,
            isRecorded: false, in: (start, end), onDamage: {}
        ) { [reading] in Self.read($0.metadata, into: reading) }
    }

    /// The loudness of what has been measured so far.
    package var loudness: MeasuredLoudness { reading.loudness }

    /// - Parameter packet: The packet; nil at the end of the stream.
    package func measure(_ packet: Packet?) throws { try samples.convert(packet) }

    /// Measures a decoded frame.
    package func measure(_ frame: Frame) throws { try samples.convert(frame) }

    private static func read(_ found: [MetadataEntry], into reading: Reading) {
        if let value = found["lavfi.r128.I"].flatMap({ Double($0) }), value.isFinite {
            reading.loudness.integrated = value > gate ? value : nil
        }
        if let peak = found["lavfi.r128.true_peak"].flatMap({ Double($0) }), peak.isFinite {
            reading.loudness.truePeak = truePeak(peak)
        }
    }

    /// The filter rounds the amplitude to three decimals; the true peak is no higher than this.
    private static func truePeak(_ amplitude: Double) -> Double {
        (20 * log10(amplitude + 0.0005) * 100).rounded() / 100
    }
}
