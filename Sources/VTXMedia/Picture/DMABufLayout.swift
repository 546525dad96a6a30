/// The layout of a frame in memory that devices and processes share through file descriptors (Linux: DMA-BUF; DRM:
/// PRIME).
public struct DMABufLayout: Sendable, Hashable {
    /// A block of memory. Most frames are in a single one.
    public struct Object: Sendable, Hashable {
        /// The descriptor of a DMA-BUF, or of any other file that can be mapped, such as a memfd.
        public var descriptor: Int32
        /// The memory layout: ``DMABufLayout/linear``, or another of the kernel's modifiers (`drm_fourcc.h`).
        public var modifier: UInt64

        public init(descriptor: Int32, modifier: UInt64 = DMABufLayout.linear) {
            self.descriptor = descriptor
            self.modifier = modifier
        }
    }

    /// The location of a plane's rows.
    public struct Plane: Sendable, Hashable {
        /// The index in ``DMABufLayout/objects``.
        public var object: Int
        /// The offset of the first row, in bytes.
        public var offset: Int
        /// The distance between the beginnings of two rows, in bytes.
        public var bytesPerRow: Int

        public init(object: Int = 0, offset: Int = 0, bytesPerRow: Int) {
            self.object = object
            self.offset = offset
            self.bytesPerRow = bytesPerRow
        }
    }

    /// One to four blocks of memory.
    public var objects: [Object]
    /// In the order of the format: Y and CbCr, or Y, Cb and Cr, or BGRA. A compressed export has additional planes.
    public var planes: [Plane]

    public init(objects: [Object], planes: [Plane]) {
        self.objects = objects
        self.planes = planes
    }

    /// Rows in sequence, as cameras write them (C: `DRM_FORMAT_MOD_LINEAR`).
    public static let linear: UInt64 = 0
    /// The GPU's driver knows; the CPU cannot read it (C: `DRM_FORMAT_MOD_INVALID`).
    public static let implicit: UInt64 = 0x00ff_ffff_ffff_ffff

    /// Whether the CPU can read the samples.
    public var isLinear: Bool { objects.allSatisfy { $0.modifier == Self.linear } }

    /// Whether a modifier gives a layout that is not linear, such as tiles.
    package var isTiled: Bool { objects.contains { ![Self.linear, Self.implicit].contains($0.modifier) } }
}

extension PixelFormat {
    /// The kernel's formats (`drm_fourcc.h`) and the corresponding pixel formats. An X is an unused alpha channel.
    private static let drmFormats: [(code: String, format: PixelFormat)] = [
        ("NV12", .nv12), ("P010", .p010), ("YU12", .i420), ("YUYV", .yuyv), ("UYVY", .uyvy), ("AR24", .bgra),
        ("XR24", .bgra), ("AB24", .rgba), ("XB24", .rgba), ("BG24", .rgb24), ("RG24", .bgr24),
    ]

    /// Creates the format for a DRM format, as used by compositors and V4L2 (C: `DRM_FORMAT_NV12`); nil for formats
    /// that a `PixelBuffer` does not support.
    public init?(drmFormat: UInt32) {
        guard let entry = Self.drmFormats.first(where: { Self.number($0.code) == drmFormat }) else { return nil }
        self = entry.format
    }

    /// The DRM format for this memory layout; nil if there is none.
    public var drmFormat: UInt32? { Self.drmFormats.first { $0.format == self }.map { Self.number($0.code) } }

    private static func number(_ code: String) -> UInt32 {
        code.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
