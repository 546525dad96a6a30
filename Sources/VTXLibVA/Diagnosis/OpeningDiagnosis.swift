import Glibc
import VTXMedia

/// A node that gave no display.
func diagnose(_ node: RenderNode, _ error: DisplayError, in system: SystemView) -> Diagnosis {
    if case .open(let number) = error.cause { return cannotOpen(node, errno: number, in: system) }
    if let special = notForVideo(node) { return special }
    switch error.cause {
    case .notDRM:
        return Diagnosis(.notDRM, "\(node.path) is not a DRM device, or its /sys is not here", hint: nil)
    case .open, .initialize:
        return driverDiagnosis(node, error, in: system)
    }
}

private func cannotOpen(_ node: RenderNode, errno number: Int32, in system: SystemView) -> Diagnosis {
    switch number {
    case EACCES: return permissionDenied(node, in: system)
    case EPERM:
        return Diagnosis(
            .notPermittedByContainer,
            "\(node.path) is here, but its use is not permitted: it was not given to this container as a device",
            hint: "start the container with --device \(node.path), not with a volume")
    default:
        return Diagnosis(
            .nodeGone, "\(node.path) cannot be opened: \(systemReason(number))",
            hint: number == ENOENT ? nil : "look for the reason with: dmesg | grep -i drm")
    }
}

/// Kernel drivers whose nodes code no video through VA-API.
private let virtualDrivers: Set<String> = [
    "virtio_gpu", "vgem", "vkms", "vmwgfx", "vboxvideo", "qxl", "bochs-drm", "hyperv_drm", "cirrus", "simpledrm", "ast",
    "mgag200", "udl",
]

/// GPUs that no VA driver is expected for.
func notForVideo(_ node: RenderNode) -> Diagnosis? {
    guard let driver = node.kernelDriver else { return nil }
    if driver == "nvidia-drm" || driver == "nouveau" {
        return Diagnosis(
            .nvidia, "\(node.path) is an NVIDIA GPU (\(driver)), which does not encode through VA-API",
            hint: "choose another GPU with \(option: .device), or encode in software")
    }
    guard virtualDrivers.contains(driver) else { return nil }
    return Diagnosis(
        .virtualGPU, "\(node.path) is a virtual GPU (\(driver)) without a video encoder",
        hint: "pass a real GPU through to this machine, or encode in software")
}
