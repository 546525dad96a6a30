import Glibc
import Testing
import VTXConformance
import VTXMedia
import VTXSession

@testable import VTXVAAPI

/// A GPU of the software driver. `Tests/Support/SoftwareDriver/with-gpus` gives a process four of them with different
/// capabilities.
struct SoftwareGPU: Sendable, CustomTestStringConvertible {
    let matrix: CapabilityMatrix

    /// Shared by all tests: opened devices stay open.
    static let backend = VAAPIBackend()

    /// `with-gpus` has started this process.
    static let areExpected = getenv("SOFTVA_DEVICES") != nil

    static let four = areExpected ? backend.probe().map(SoftwareGPU.init) : []

    /// Tests run in parallel, so the GPU with few surfaces is excluded.
    static let all = Array(four.prefix(3))

    /// Each codec of each GPU.
    static let encoders = all.flatMap { gpu in
        VideoCodec.allCases.filter(gpu.matrix.encodes).map { GPUEncoder(gpu: gpu, codec: $0) }
    }

    var conformance: Conformance { Conformance(Self.backend, device: matrix.device) }
    var testDescription: String { matrix.device.name }
}

struct GPUEncoder: Sendable, CustomTestStringConvertible {
    var gpu: SoftwareGPU
    var codec: VideoCodec

    var testDescription: String { "\(codec) on \(gpu.testDescription)" }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test if the process has no such GPU.
    static var onSoftwareGPU: Self {
        .enabled(
            if: SoftwareGPU.areExpected,
            "the software VA-API driver is not loaded; Tests/Support/SoftwareDriver/with-gpus loads it")
    }
}
