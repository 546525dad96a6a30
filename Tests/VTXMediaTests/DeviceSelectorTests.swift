import Testing
import VTXMedia

@Suite("Naming a device")
struct DeviceSelectorTests {
    @Test("each form prints as it is written")
    func forms() throws {
        for text in ["auto", "/dev/dri/renderD128", "pci:0000:03:00.0", "vendor:intel", "vendor:amd", "vendor:0x1fe0"] {
            #expect(try #require(DeviceSelector(text)).description == text)
        }
    }

    @Test("equivalent forms are equal")
    func synonyms() {
        #expect(DeviceSelector("pci:03:00.0") == DeviceSelector("pci:0000:03:00.0"))
        #expect(DeviceSelector("vendor:0x1002") == DeviceSelector("vendor:amd"))
        #expect(DeviceSelector("vendor:Intel") == .vendor(.intel))
    }

    @Test(
        "an invalid text is refused",
        arguments: [
            "", "/", "gpu0", "renderD128", "pci:", "pci:zz:00.0", "pci:0000:03:00", "pci:0:0:20.0", "vendor:",
            "vendor:ibm", "vendor:0x", "vendor:0x12345",
        ])
    func wrong(text: String) { #expect(DeviceSelector(text) == nil) }

    @Test("auto selects every device, a name the matching ones")
    func selects() {
        let names: Set<DeviceSelector> = [.path("/dev/dri/renderD128"), .vendor(.amd)]
        #expect(DeviceSelector.auto.selects(names) && DeviceSelector.auto.selects([]))
        #expect(DeviceSelector.vendor(.amd).selects(names) && !DeviceSelector.vendor(.intel).selects(names))
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
