package import VTXMedia

/// The VA drivers for a maker's GPUs, the better one first, by the names that libva puts before `_drv_video.so`.
///
/// libva chooses by the kernel driver's name, and an older libva does not know a newer kernel driver (`xe`).
package func driverNames(for vendor: PCIVendor?) -> [String] {
    switch vendor {
    case .intel: ["iHD", "i965"]
    case .amd: ["radeonsi"]
    default: []
    }
}
