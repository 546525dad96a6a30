import Testing
import VTXMedia
import VTXTask

@testable import VTXTask

@Suite("Reading values")
struct ValueTests {
    @Test(
        "bit rates take decimal prefixes",
        arguments: [
            ("5M", 5_000_000), ("2.5M", 2_500_000), ("800k", 800_000), ("800K", 800_000),
            ("1G", 1_000_000_000),
            ("2500000", 2_500_000), ("0.5m", 500_000),
        ])
    func bitrates(text: String, bits: Int) {
        #expect(ValueType.bitrate(from: "1k", to: "1G").read(text) == bits)
    }

    @Test(
        "an invalid bit rate is refused",
        arguments: [
            "", "0", "0M", "-5M", "+5M", "5", "5MM", "5Mbps", "M", ".", "5.", ".5M", "1e6", "0x1000M", "inf",
            "nan",
            "5 M", "1.0.0M", "2G", "99999999999999999999G", "５M",
        ])
    func badBitrates(text: String) {
        #expect(ValueType.bitrate(from: "1k", to: "1G").read(text) == nil)
    }

    @Test(
        "times are seconds or colon-separated",
        arguments: [
            ("0", 0), ("12.5", 12.5), ("1:30", 90), ("90:00", 5400), ("1:02:03.250", 3723.25),
            ("00:00:01", 1),
        ])
    func times(text: String, seconds: Double) {
        #expect(TimeText.seconds(text) == seconds)
    }

    @Test(
        "an invalid time is refused",
        arguments: [
            "", ":", "1:", ":30", "-1", "1:60", "1:60:00", "1:2:3:4", "1.5:00", "1e3", "inf", "12,5", "1:30s",
            "99999999999",
        ])
    func badTimes(text: String) {
        #expect(TimeText.seconds(text) == nil)
    }

    @Test("a duration is positive; a start may be zero")
    func emptySpans() {
        #expect(ValueType<Double>.timeSpan.read("0:00") == nil)
        #expect(ValueType<Double>.timestamp.read("0:00") == 0)
    }

    @Test(
        "sizes may be odd, from 2 to 16384; one side may be omitted",
        arguments: ["2x2", "1279x719", "16384X16384", "1280x", "x720"])
    func sizes(text: String) {
        #expect(ValueType<SizeRequest>.size.read(text)?.isLimit == false)
        #expect(ValueType<SizeRequest>.maxSize.read(text)?.isLimit == true)
    }

    @Test(
        "other sizes are refused",
        arguments: [
            "1x16", "16x16385", "0x0", "-16x16", "+16x16", "1280", "x", "1280x720x3", "1280*720", "", "16385x",
        ])
    func badSizes(text: String) {
        #expect(ValueType<SizeRequest>.size.read(text) == nil)
    }

    @Test(
        "frame rates are whole, decimal or fractions",
        arguments: [
            ("30", Rational(30, 1)), ("30000/1001", Rational(30000, 1001)), ("29.97", Rational(30000, 1001)),
            ("12.5", Rational(12500, 1000)),
        ])
    func frameRates(text: String, rate: Rational) {
        #expect(ValueType<Rational>.frameRate.read(text) == rate)
    }

    @Test(
        "other frame rates are refused",
        arguments: ["0", "-30", "30/0", "0/1", "1001", "1e3", "inf", "30:1", "30fps", "", "1/2/3"])
    func badFrameRates(text: String) {
        #expect(ValueType<Rational>.frameRate.read(text) == nil)
    }

    @Test(
        "other key frame intervals than frames and seconds are refused",
        arguments: [
            "", "0", "0s", "-1", "5s,5s", "s", "5x", "120,", "1e9s", "3601s", "100001",
            "99999999999999999999",
        ])
    func badKeyFrameIntervals(text: String) {
        #expect(ValueType<KeyFrameInterval>.keyFrameInterval.read(text) == nil)
    }

    @Test("quality stays between 0 and 100", arguments: ["-1", "101", "100.1", "nan", "", "7O", "1e1"])
    func badQualities(text: String) {
        #expect(ValueType<Quality>.quality.read(text) == nil)
    }

    @Test("devices are auto, paths, PCI addresses and vendors")
    func devices() {
        let type = ValueType<DeviceSelector>.device
        for text in ["auto", "/dev/dri/renderD128", "pci:0000:03:00.0", "vendor:intel"] {
            #expect(type.read(text)?.description == text)
        }
        for text in ["", "gpu0", "pci:", "vendor:", "/"] { #expect(type.read(text) == nil) }
    }
}
