import Glibc
import VTXLibVA
import VTXMedia

/// One driver's recorded capabilities on one GPU: `Tests/Fixtures/capabilities/ihd-free-tgl.txt`.
struct Fixture: CustomStringConvertible {
    let name: String
    let text: String
    let answers: DriverCapabilities
    let deviceID: PCIDeviceID

    var description: String { name }

    /// Its GPU's node, as from i915 or amdgpu.
    var node: RenderNode {
        RenderNode(
            path: "/dev/dri/renderD128", deviceID: deviceID,
            kernelDriver: deviceID.vendor == .intel ? "i915" : "amdgpu")
    }

    private static let directory =
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fixtures/capabilities"

    static let names = SystemView.live.list(directory).filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }

    init(_ name: String) throws {
        let text = SystemView.live.read("\(Self.directory)/\(name).txt") ?? ""
        self.name = name
        self.text = text
        answers = try DriverCapabilities(text: text)
        deviceID = try Self.deviceID(in: text)
    }

    struct NoDevice: Error {}

    /// From the first line: `# Tiger Lake, device 8086:9a49; ...`.
    private static func deviceID(in text: String) throws -> PCIDeviceID {
        let words = text.prefix { $0 != ";" }.split { $0 == " " || $0 == ":" }.suffix(2)
        guard let vendor = words.first.flatMap({ UInt16($0, radix: 16) }),
            let device = words.last.flatMap({ UInt16($0, radix: 16) })
        else { throw NoDevice() }
        return PCIDeviceID(vendor: PCIVendor(rawValue: vendor), device: device)
    }
}
