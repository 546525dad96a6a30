import Testing
import VTXJobs

@Suite("Times in records")
struct TimestampTests {
    @Test(
        "are RFC 3339 in UTC, and are read back",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_763_804_514_120, "2025-11-22T09:41:54.120Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
        ] as [(Int64, String)])
    func text(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test("are read with other offsets and decimals")
    func forms() {
        #expect(Timestamp("2025-11-22T10:41:54+01:00") == Timestamp("2025-11-22T09:41:54Z"))
        #expect(Timestamp("2025-11-22t09:41:54.1234567z")?.milliseconds == 1_763_804_514_123)
    }

    @Test(
        "are refused in any other form",
        arguments: ["2025-11-22", "2025-13-22T09:41:54Z", "2025-11-22T09:41:54", "2025-11-22T24:00:00Z", "", "x"])
    func refused(text: String) { #expect(Timestamp(text) == nil) }
}
