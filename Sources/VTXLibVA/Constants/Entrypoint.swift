/// A `VAEntrypoint`: what a driver does with a profile.
package struct Entrypoint: RawConstant {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Decoding from slices.
    package static let vld = Entrypoint(rawValue: 1)
    package static let encSlice = Entrypoint(rawValue: 6)
    package static let encPicture = Entrypoint(rawValue: 7)
    /// Encoding in fixed-function hardware alone; Intel calls it low power.
    package static let encSliceLP = Entrypoint(rawValue: 8)
    package static let videoProc = Entrypoint(rawValue: 10)

    /// `VAEntrypoint*` of va.h.
    package static let table: [UInt32: String] = [
        1: "VLD", 2: "IZZ", 3: "IDCT", 4: "MoComp", 5: "Deblocking", 6: "EncSlice", 7: "EncPicture", 8: "EncSliceLP",
        10: "VideoProc", 11: "FEI", 12: "Stats", 13: "ProtectedTEEComm", 14: "ProtectedContent",
    ]
}

extension Entrypoint {
    /// Video comes out of both; which of the two a GPU has is a matter of its generation and driver.
    package var encodesVideo: Bool { self == .encSlice || self == .encSliceLP }
}
