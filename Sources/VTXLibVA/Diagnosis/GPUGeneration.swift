package import VTXMedia

/// A family of GPUs with the same video hardware.
package struct GPUGeneration: Sendable, Hashable {
    /// `Tiger Lake`, `Navi 21`.
    package var name: String
    /// The codecs that the hardware encodes with the drivers' full builds, independent of this machine's driver.
    package var encoders: Set<VideoCodec>
    /// Whether HEVC includes Main 10.
    package var encodesMain10: Bool
    /// Intel: whether full builds have `EncSlice` (the VME). DG2, Meteor Lake and later have only low power.
    package var hasVME: Bool
    /// Intel: whether i915 needs a parameter to load the HuC firmware. From Alder Lake on, and on DG1, it does not.
    package var needsHuCParameter: Bool
    /// The VA driver for it.
    package var driver: String

    /// Creates the generation of a PCI device; nil if unknown.
    package init?(_ id: PCIDeviceID) {
        let table = id.vendor == .intel ? intelGenerations : id.vendor == .amd ? amdGenerations : []
        guard let row = table.first(where: { $0.ids.contains { $0.contains(id.device) } }) else { return nil }
        self = row.generation
    }

    fileprivate init(
        _ name: String, _ encoders: Set<VideoCodec> = [.h264, .hevc], main10: Bool = true, vme: Bool = false,
        hucParameter: Bool = false, driver: String
    ) {
        self.name = name
        self.encoders = encoders
        encodesMain10 = main10
        hasVME = vme
        needsHuCParameter = hucParameter
        self.driver = driver
    }
}

private typealias Row = (ids: [ClosedRange<UInt16>], generation: GPUGeneration)

private func intel(
    _ name: String, _ ids: ClosedRange<UInt16>..., encoders: Set<VideoCodec> = [.h264, .hevc], main10: Bool = true,
    vme: Bool = true, hucParameter: Bool = false, driver: String = "iHD"
) -> Row {
    let generation = GPUGeneration(
        name, encoders, main10: main10, vme: vme, hucParameter: hucParameter, driver: driver)
    return (ids, generation)
}

/// Device IDs are those in the lists of i915 and xe (`i915_pciids.h`), as ranges.
private let intelGenerations: [Row] = [
    intel(
        "Haswell or older", 0x0102...0x016f, 0x0402...0x042e, 0x0a02...0x0a2e, 0x0c02...0x0c2e, 0x0d02...0x0d2e,
        encoders: [.h264], main10: false, driver: "i965"),
    intel("Broadwell", 0x1602...0x163e, encoders: [.h264], main10: false),
    intel("Skylake", 0x1902...0x193d, main10: false, hucParameter: true),
    intel("Apollo Lake", 0x0a84...0x0a84, 0x1a84...0x1a85, 0x5a84...0x5a85, main10: false, hucParameter: true),
    intel("Kaby Lake", 0x5902...0x593b, 0x87c0...0x87c0, hucParameter: true),
    intel("Gemini Lake", 0x3184...0x3185, hucParameter: true),
    intel("Coffee Lake", 0x3e90...0x3ea9, 0x87ca...0x87ca, hucParameter: true),
    intel("Comet Lake", 0x9b21...0x9bf6, hucParameter: true),
    intel("Ice Lake", 0x8a50...0x8a71, hucParameter: true),
    intel("Elkhart Lake", 0x4541...0x4571, vme: false, hucParameter: true),
    intel("Jasper Lake", 0x4e51...0x4e71, vme: false, hucParameter: true),
    intel("Tiger Lake", 0x9a40...0x9af8, hucParameter: true),
    intel("Rocket Lake", 0x4c80...0x4c9a, hucParameter: true),
    intel("DG1", 0x4905...0x4909),
    intel("Alder Lake", 0x4680...0x46c3),
    intel("Alder Lake-N", 0x46d0...0x46d4),
    intel("Raptor Lake", 0xa720...0xa7ad),
    intel("DG2 (Arc A)", 0x4f80...0x4f88, 0x5690...0x56c2, vme: false),
    intel("Meteor Lake", 0x7d40...0x7d40, 0x7d45...0x7d45, 0x7d55...0x7d60, 0x7dd5...0x7dd5, vme: false),
    intel("Arrow Lake", 0x7d41...0x7d41, 0x7d51...0x7d51, 0x7d67...0x7d67, 0x7dd1...0x7dd1, vme: false),
    intel("Lunar Lake", 0x6420...0x6420, 0x64a0...0x64b0, vme: false),
    intel("Battlemage (Arc B)", 0xe202...0xe223, vme: false),
]

private func amd(
    _ name: String, _ ids: ClosedRange<UInt16>..., encoders: Set<VideoCodec> = [.h264, .hevc], main10: Bool = true
) -> Row {
    (ids, GPUGeneration(name, encoders, main10: main10, driver: "radeonsi"))
}

/// Device IDs are those in the list of amdgpu (`amdgpu_drv.c`), as ranges.
private let amdGenerations: [Row] = [
    amd("Polaris 10", 0x67c0...0x67df, main10: false),
    amd("Polaris 11", 0x67e0...0x67ff, main10: false),
    amd("Polaris 12", 0x6980...0x699f, main10: false),
    amd("Vega 10", 0x6860...0x687f, main10: false),
    amd("Vega 12", 0x69a0...0x69af, main10: false),
    amd("Vega 20", 0x66a0...0x66af, main10: false),
    amd("Raven", 0x15dd...0x15dd, 0x15d8...0x15d8, main10: false),
    amd("Renoir", 0x1636...0x1636, 0x1638...0x1638, 0x164c...0x164c),
    amd("Navi 10", 0x7310...0x731f),
    amd("Navi 12", 0x7360...0x7362),
    amd("Navi 14", 0x7340...0x734f),
    amd("Navi 21", 0x73a0...0x73bf),
    amd("Navi 22", 0x73c0...0x73df),
    amd("Navi 23", 0x73e0...0x73ff),
    amd("Navi 24", 0x7420...0x743f, encoders: [], main10: false),
    amd("Van Gogh", 0x163f...0x163f),
    amd("Rembrandt", 0x164d...0x164d, 0x1681...0x1681),
    amd("Raphael", 0x164e...0x164e),
    amd("Navi 31", 0x7440...0x745f),
    amd("Navi 32", 0x7470...0x747f),
    amd("Navi 33", 0x7480...0x749f),
    amd("Phoenix", 0x15bf...0x15bf, 0x15c8...0x15c8),
]

extension RenderNode {
    /// The GPU's name for users: the driver's name, else the generation, else the numbers.
    package func gpuName(_ answers: DriverCapabilities? = nil) -> String {
        if let name = answers?.marketingName { return name }
        guard let deviceID else { return kernelDriver.map { "a GPU of \($0)" } ?? path }
        if let generation = GPUGeneration(deviceID) { return "\(deviceID.vendor.title) \(generation.name)" }
        return "\(deviceID.vendor.title) GPU \(deviceID)"
    }

    package var generation: GPUGeneration? { deviceID.flatMap(GPUGeneration.init) }
}

extension DriverCapabilities {
    /// Mesa includes the GPU's name: `... for AMD Radeon RX 6800 XT (navi21, LLVM ...)`. Intel's drivers do not.
    package var marketingName: String? {
        guard vendorString.hasPrefix("Mesa"), let start = vendorString.firstRange(of: " for ")?.upperBound
        else { return nil }
        let name = vendorString[start...].prefix { $0 != "(" }.drop { $0 == " " }
        let end = name.lastIndex { $0 != " " }
        return end.map { String(name[...$0]) }
    }

    /// libva's name of the driver, from the vendor string; nil if unknown.
    package var driverName: String? {
        let signs = [("iHD driver", "iHD"), ("i965 driver", "i965"), ("Mesa Gallium", "radeonsi")]
        return signs.first { vendorString.contains($0.0) }?.1
    }

    /// Whether a CPU emulates the GPU, which is no faster than libavcodec.
    package var isEmulated: Bool {
        ["llvmpipe", "softpipe", "swrast"].contains { vendorString.contains($0) }
    }
}
