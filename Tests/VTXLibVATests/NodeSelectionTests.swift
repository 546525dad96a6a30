import Testing
import VTXLibVA
import VTXMedia

@Suite("Choosing a node")
struct NodeSelectionTests {
    private let intel = RenderNode(
        path: "/dev/dri/renderD129", cardPath: "/dev/dri/card1", address: PCIAddress("0000:00:02.0"),
        deviceID: .tigerLake)
    private let amd = RenderNode(
        path: "/dev/dri/renderD128", cardPath: "/dev/dri/card0", address: PCIAddress("0000:03:00.0"),
        deviceID: .navi21)
    private var nodes: [RenderNode] { [intel, amd] }

    @Test("each form selects what it names")
    func forms() throws {
        let expected: [(String, [RenderNode])] = [
            ("auto", nodes), ("/dev/dri/renderD128", [amd]), ("/dev/dri/card1", [intel]),
            ("pci:0000:03:00.0", [amd]), ("pci:03:00.0", [amd]), ("vendor:intel", [intel]), ("vendor:0x1002", [amd]),
        ]
        for (text, matches) in expected {
            #expect(try #require(DeviceSelector(text)).select(from: nodes) == matches)
        }
    }

    @Test("a missing device is an error that lists the existing ones")
    func absent() throws {
        let error = #expect(throws: NoSuchNode.self) { try DeviceSelector.vendor(.nvidia).select(from: [amd]) }
        #expect(
            error?.description
                == "no GPU is vendor:nvidia; there is /dev/dri/renderD128 = pci:0000:03:00.0 = vendor:amd")
        let none = #expect(throws: NoSuchNode.self) { try DeviceSelector.vendor(.nvidia).select(from: []) }
        #expect(none?.description == "no GPU is vendor:nvidia; there is no render node")
    }
}
