import Testing
import VTXFFmpeg
import VTXMedia

@Suite("Loudness is measured as the encoder would get it, and normalized")
struct LoudnessTests {
    private static let rate = 48000
    /// Half of full scale at 997 Hz in both channels: -6 LUFS by ITU-R BS.1770.
    private static let tone = "aevalsrc=0.5*sin(2*PI*997*t)|0.5*sin(2*PI*997*t):s=\(rate):d=3:c=stereo"
    /// A quiet tone with a loud click ten times a second.
    private static let clicks = """
        aevalsrc='0.05*sin(2*PI*500*t)+0.8*exp(-200*mod(t,0.1))*sin(2*PI*1500*mod(t,0.1))':s=\(rate):d=6:c=mono
        """

    private func settings(_ layout: String = "stereo", loudness: Int? = nil) -> AudioEncoderSettings {
        var settings = AudioEncoderSettings(
            codecName: "pcm_f32le", sampleRate: Self.rate, channelLayout: layout,
            channelCount: layout == "mono" ? 1 : 2, sampleFormat: "flt", bitsPerSample: nil, bitrate: nil,
            usesGlobalHeader: false)
        settings.loudness = loudness
        return settings
    }

    private func measure(
        _ audio: String, _ settings: AudioEncoderSettings, from start: Double? = nil, to end: Double? = nil
    ) throws -> MeasuredLoudness {
        let meter = try LoudnessMeter(nil, settings, from: start, to: end)
        let source = try FilterGraph(generating: audio, isAudio: true)
        while case .unit(let frame) = try source.receive() { try meter.measure(frame) }
        try meter.measure(nil as Packet?)
        return meter.loudness
    }

    @Test("a tone has the loudness and the true peak of the standard")
    func tone() throws {
        let loudness = try measure(Self.tone, settings())
        #expect(abs(try #require(loudness.integrated) + 6) < 0.1)
        #expect(abs(loudness.truePeak + 6) < 0.1)
    }

    @Test("only the requested range counts")
    func range() throws {
        let audio = "aevalsrc=if(lt(t\\,3)\\,0.5\\,0.05)*sin(2*PI*997*t):s=\(Self.rate):d=6:c=mono"
        let loud = try #require(try measure(audio, settings("mono"), to: 3).integrated)
        let quiet = try #require(try measure(audio, settings("mono"), from: 3).integrated)
        #expect(abs(loud - quiet - 20) < 0.2)
    }

    @Test("a linear gain brings it to the loudness", arguments: [-30, -16])
    func linear(target: Int) throws {
        var settings = settings(loudness: target)
        let measured = try measure(Self.tone, self.settings())
        settings.loudnessGain = LoudnessGain(
            measured: measured, decibels: Double(target) - (try #require(measured.integrated)))
        #expect(abs(try #require(measure(Self.tone, settings).integrated) - Double(target)) < 0.05)
    }

    @Test("a gain that is too high for the peaks leaves them at the limit", arguments: [6.0, 12])
    func limited(decibels: Double) throws {
        var settings = settings("mono", loudness: -10)
        let measured = try measure(Self.clicks, self.settings("mono"))
        settings.loudnessGain = LoudnessGain(measured: measured, decibels: decibels, limited: measured)
        let limited = try measure(Self.clicks, settings)
        #expect(measured.truePeak + decibels > settings.truePeakLimit + 3)
        #expect(limited.truePeak <= settings.truePeakLimit + 0.3)
        #expect(try #require(limited.integrated) > (try #require(measured.integrated)))
    }

    @Test(
        "silence, and less than 0.4 s, has no loudness",
        arguments: ["anullsrc=d=2", "sine=440:d=0.2", "sine=440:d=0.01"])
    func silence(audio: String) throws {
        #expect(try measure(audio, settings()).integrated == nil)
    }
}
