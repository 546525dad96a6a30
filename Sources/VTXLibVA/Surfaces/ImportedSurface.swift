import CLibVA
package import VTXMedia
import VTXSystem

/// A surface in shared memory, in the layout of its modifier or not at all (C: `vaCreateSurfaces` with
/// `VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2`). libavutil would try again without the modifier.
package final class ImportedSurface: Sendable {
    private let display: Display
    /// The `VASurfaceID`.
    package let id: UInt32

    /// - Parameter fourCC: The format, which has the same number as a DRM format: NV12 or P010.
    /// - Throws: if the driver refuses the memory.
    package init(
        _ layout: DMABufLayout, size: PixelSize, _ fourCC: FourCC, _ rtFormat: RTFormat, on display: Display
    ) throws(VAError) {
        var descriptor = VADRMPRIMESurfaceDescriptor(layout, size, fourCC)
        var id: VASurfaceID = 0
        let status = withUnsafeMutablePointer(to: &descriptor) { memory in
            var attributes = [VASurfaceAttrib(memoryType: VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2), .init(memory)]
            return vaCreateSurfaces(
                display.pointer, rtFormat.rawValue, UInt32(size.width), UInt32(size.height), &id, 1, &attributes,
                UInt32(attributes.count))
        }
        try check(status, "vaCreateSurfaces")
        (self.id, self.display) = (id, display)
    }

    deinit {
        var id = id
        vaDestroySurfaces(display.pointer, &id, 1)
    }
}

extension VASurfaceAttrib {
    fileprivate init(memoryType: Int32) {
        self.init()
        (type, flags) = (VASurfaceAttribMemoryType, UInt32(VA_SURFACE_ATTRIB_SETTABLE))
        value.type = VAGenericValueTypeInteger
        value.value.i = memoryType
    }

    fileprivate init(_ descriptor: UnsafeMutablePointer<VADRMPRIMESurfaceDescriptor>) {
        self.init()
        (type, flags) = (VASurfaceAttribExternalBufferDescriptor, UInt32(VA_SURFACE_ATTRIB_SETTABLE))
        value.type = VAGenericValueTypePointer
        value.value.p = UnsafeMutableRawPointer(descriptor)
    }
}

extension VADRMPRIMESurfaceDescriptor {
    /// - Parameter layout: At most four objects and planes.
    fileprivate init(_ layout: DMABufLayout, _ size: PixelSize, _ fourCC: FourCC) {
        self.init()
        (fourcc, width, height) = (fourCC.rawValue, UInt32(size.width), UInt32(size.height))
        num_objects = UInt32(layout.objects.count)
        for (index, object) in zip(UInt32(0)..., layout.objects) {
            let byteCount = FileDescriptor.mappableByteCount(of: object.descriptor) ?? 0
            vtx_prime_set_object(&self, index, object.descriptor, UInt32(clamping: byteCount), object.modifier)
        }
        for (index, plane) in zip(UInt32(0)..., layout.planes) {
            vtx_prime_set_plane(
                &self, index, UInt32(clamping: plane.object), UInt32(clamping: plane.offset),
                UInt32(clamping: plane.bytesPerRow))
        }
    }
}
