import CLibVA
import VTXMedia

extension Display {
    /// `vaQuerySurfaceAttributes` is asked twice: for the count, then for the list.
    func surfaces(_ config: VAConfigID) throws(VAError) -> SurfaceCapabilities {
        var count: UInt32 = 0
        try check(vaQuerySurfaceAttributes(pointer, config, nil, &count), "vaQuerySurfaceAttributes")
        var list = [VASurfaceAttrib](repeating: VASurfaceAttrib(), count: Int(count))
        try check(vaQuerySurfaceAttributes(pointer, config, &list, &count), "vaQuerySurfaceAttributes")
        return SurfaceCapabilities(list.prefix(Int(count)))
    }
}

extension SurfaceCapabilities {
    init(_ list: some Sequence<VASurfaceAttrib>) {
        self.init()
        var numbers: [UInt32: Int] = [:]
        for attribute in list where attribute.value.type == VAGenericValueTypeInteger {
            let value = attribute.value.value.i
            switch attribute.type {
            case VASurfaceAttribPixelFormat: formats.append(FourCC(rawValue: UInt32(bitPattern: value)))
            case VASurfaceAttribMemoryType: memoryTypes.insert(MemoryTypes(rawValue: UInt32(bitPattern: value)))
            default: numbers[attribute.type.rawValue] = Int(value)
            }
        }
        minSize = Self.size(numbers[VASurfaceAttribMinWidth.rawValue], numbers[VASurfaceAttribMinHeight.rawValue])
        maxSize = Self.size(numbers[VASurfaceAttribMaxWidth.rawValue], numbers[VASurfaceAttribMaxHeight.rawValue])
    }

    private static func size(_ width: Int?, _ height: Int?) -> PixelSize? {
        guard let width, let height, width > 0, height > 0 else { return nil }
        return PixelSize(width, height)
    }
}
