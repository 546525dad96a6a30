import Testing
import VTXLibVA

@Suite("Choosing a device")
struct DeviceSelectorTests {
    private let intel = RenderNode(
        path: "/dev/dri/renderD129", cardPath: "/dev/dri/card1", address: PCIAddress("0000:00:02.0"),
        deviceID: .tigerLake)
    private let amd = RenderNode(
        path: "/dev/dri/renderD128", cardPath: "/dev/dri/card0", address: PCIAddress("0000:03:00.0"),
        deviceID: .navi21)
    private var nodes: [RenderNode] { [intel, amd] }

    @Test("each form selects what it names, and prints as it is written")
    func forms() throws {
        let expected: [(String, [RenderNode])] = [
            ("auto", nodes), ("/dev/dri/renderD128", [amd]), ("/dev/dri/card1", [intel]),
            ("pci:0000:03:00.0", [amd]), ("vendor:intel", [intel]), ("vendor:amd", [amd]),
        ]
        for (text, matches) in expected {
            let selector = try DeviceSelector(text)
            #expect(try selector.select(from: nodes) == matches)
            #expect(selector.description == text)
        }
        #expect(try DeviceSelector("pci:03:00.0").matches(in: nodes) == [amd])
        #expect(try DeviceSelector("vendor:0x1002").matches(in: nodes) == [amd])
        #expect(try DeviceSelector("vendor:Intel").matches(in: nodes) == [intel])
    }

    @Test(
        "a text that names no device is an error that says what is allowed",
        arguments: ["", "gpu0", "renderD128", "pci:", "pci:zz:00.0", "pci:0000:03:00", "pci:0:0:20.0", "vendor:ibm"])
    func wrong(text: String) {
        let error = #expect(throws: DeviceSelector.Failure.self) { _ = try DeviceSelector(text) }
        #expect(error?.description.contains("'\(text)'") == true)
        #expect(error?.description.contains("pci:0000:03:00.0") == true)
    }

    @Test("a device that is not there is an error that says what is")
    func absent() throws {
        let selector = try DeviceSelector("vendor:nvidia")
        let error = #expect(throws: DeviceSelector.Failure.self) { _ = try selector.select(from: [amd]) }
        #expect(
            error?.description
                == "no GPU is vendor:nvidia; there is /dev/dri/renderD128 = pci:0000:03:00.0 = vendor:amd")
        let none = #expect(throws: DeviceSelector.Failure.self) { _ = try selector.select(from: []) }
        #expect(none?.description == "no GPU is vendor:nvidia; there is no render node")
    }

    @Test("PCI addresses are read, ordered and printed")
    func addresses() throws {
        let first = try #require(PCIAddress("0000:03:00.0"))
        let second = try #require(PCIAddress("0000:0A:1f.7"))
        #expect(first < second && second.description == "0000:0a:1f.7")
        #expect(try #require(PCIAddress("0001:00:00.0")) > second)
        #expect(PCIAddress("00:00.8") == nil && PCIAddress("0:0:0:0.0") == nil && PCIAddress("00:00") == nil)
    }
}
