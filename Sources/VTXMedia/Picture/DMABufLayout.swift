/// Where a picture lies in memory that devices and processes share by file descriptors (Linux: DMA-BUF; DRM: PRIME).
public struct DMABufLayout: Sendable, Hashable {
    /// A piece of memory. Most pictures lie in one.
    public struct Object: Sendable, Hashable {
        /// Of a DMA-BUF, or of any other file that can be mapped, such as a memfd.
        public var descriptor: Int32
        /// How the memory is arranged: ``DMABufLayout/linear``, or another of the kernel's numbers (`drm_fourcc.h`).
        public var modifier: UInt64

        public init(descriptor: Int32, modifier: UInt64 = DMABufLayout.linear) {
            self.descriptor = descriptor
            self.modifier = modifier
        }
    }

    /// Where the rows of a plane are.
    public struct Plane: Sendable, Hashable {
        /// Its index in ``DMABufLayout/objects``.
        public var object: Int
        /// Of the first row, in bytes.
        public var offset: Int
        /// From one row to the next.
        public var bytesPerRow: Int

        public init(object: Int = 0, offset: Int = 0, bytesPerRow: Int) {
            self.object = object
            self.offset = offset
            self.bytesPerRow = bytesPerRow
        }
    }

    /// One to four.
    public var objects: [Object]
    /// In the order of the format: Y and CbCr, or Y, Cb and Cr, or BGRA. Those of an export that is compressed are more.
    public var planes: [Plane]

    public init(objects: [Object], planes: [Plane]) {
        self.objects = objects
        self.planes = planes
    }

    /// Rows follow each other (C: `DRM_FORMAT_MOD_LINEAR`), as cameras write them.
    public static let linear: UInt64 = 0
    /// The GPU's driver knows; the CPU cannot read it (C: `DRM_FORMAT_MOD_INVALID`).
    public static let implicit: UInt64 = 0x00ff_ffff_ffff_ffff

    /// Whether the CPU can read it.
    public var isLinear: Bool { objects.allSatisfy { $0.modifier == Self.linear } }
}

extension PixelFormat {
    /// The kernel's formats (`drm_fourcc.h`), and what their samples are here. An X is an alpha that is not used.
    private static let drmFormats: [(code: String, format: PixelFormat)] = [
        ("NV12", .nv12), ("P010", .p010), ("YU12", .i420), ("YUYV", .yuyv), ("UYVY", .uyvy), ("AR24", .bgra),
        ("XR24", .bgra), ("AB24", .rgba), ("XB24", .rgba), ("BG24", .rgb24), ("RG24", .bgr24),
    ]

    /// By the kernel's number, as compositors and V4L2 say it (C: `DRM_FORMAT_NV12`); nil for others than those of a
    /// `PixelBuffer`.
    public init?(drmFormat: UInt32) {
        guard let entry = Self.drmFormats.first(where: { Self.number($0.code) == drmFormat }) else { return nil }
        self = entry.format
    }

    /// The kernel's number for samples that lie so; nil where it has none.
    public var drmFormat: UInt32? { Self.drmFormats.first { $0.format == self }.map { Self.number($0.code) } }

    private static func number(_ code: String) -> UInt32 {
        code.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
