import Testing
import VTXMedia

@Suite("Errors of sessions")
struct SessionErrorTests {
    @Test("codes have VideoToolbox's numbers")
    func numbers() {
        let decompression: [SessionError.Code: Int32] = [
            .propertyNotSupported: -12900, .propertyReadOnly: -12901, .badParameter: -12902, .invalidSession: -12903,
            .allocationFailed: -12904, .noSuchDecoder: -12906, .noSuchEncoder: -12908, .badData: -12909,
            .unsupportedFormat: -12910, .hardwareMalfunction: -12911, .notAvailableNow: -12913,
            .referenceMissing: -17694,
        ]
        for (code, number) in decompression { #expect(code.decompressionStatus == number, "\(code)") }
        let compression: [SessionError.Code: Int32] = [
            .propertyNotSupported: -12900, .noSuchEncoder: -12908, .hardwareMalfunction: -12912,
            .notAvailableNow: -12915, .unsupportedFormat: -12905,
        ]
        for (code, number) in compression { #expect(code.compressionStatus == number, "\(code)") }
        #expect(SessionError.Code.outputNotRead.decompressionStatus == nil)
    }
}
