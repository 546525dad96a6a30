import VTXMedia

extension RenderNode {
    /// The GPU's name for people: the driver's own where it has one, else the generation, else the numbers.
    package func gpuName(_ answers: DriverCapabilities? = nil) -> String {
        if let name = answers?.marketingName { return name }
        guard let deviceID else { return kernelDriver.map { "a GPU of \($0)" } ?? path }
        if let generation = GPUGeneration(deviceID) { return "\(deviceID.vendor.title) \(generation.name)" }
        return "\(deviceID.vendor.title) GPU \(deviceID)"
    }

    package var generation: GPUGeneration? { deviceID.flatMap(GPUGeneration.init) }
}

extension DriverCapabilities {
    /// Mesa names the GPU: `... for AMD Radeon RX 6800 XT (navi21, LLVM ...)`. Intel's drivers name none.
    package var marketingName: String? {
        guard vendorString.hasPrefix("Mesa"), let start = vendorString.firstRange(of: " for ")?.upperBound
        else { return nil }
        let name = vendorString[start...].prefix { $0 != "(" }.drop { $0 == " " }
        let end = name.lastIndex { $0 != " " }
        return end.map { String(name[...$0]) }
    }

    /// libva's name of the driver, from its words about itself; nil for an unknown one.
    package var driverName: String? {
        let signs = [("iHD driver", "iHD"), ("i965 driver", "i965"), ("Mesa Gallium", "radeonsi")]
        return signs.first { vendorString.contains($0.0) }?.1
    }

    /// A CPU plays the GPU: it encodes nothing faster than libavcodec does.
    package var isEmulated: Bool {
        ["llvmpipe", "softpipe", "swrast"].contains { vendorString.contains($0) }
    }
}
