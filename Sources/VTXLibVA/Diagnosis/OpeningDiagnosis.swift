import Glibc
import VTXMedia

/// Diagnoses a node that could not be opened.
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
            "\(node.path) exists, but may not be used: it was not passed to this container as a device",
            hint: "start the container with --device \(node.path), not with a volume")
    default:
        return Diagnosis(
            .nodeGone, "\(node.path) cannot be opened: \(systemReason(number))",
            hint: number == ENOENT ? nil : "look for the reason with: dmesg | grep -i drm")
    }
}

/// Kernel drivers without video support through VA-API.
private let virtualDrivers: Set<String> = [
    "virtio_gpu", "vgem", "vkms", "vmwgfx", "vboxvideo", "qxl", "bochs-drm", "hyperv_drm", "cirrus", "simpledrm", "ast",
    "mgag200", "udl",
]

/// GPUs for which no VA driver is expected.
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

/// `EACCES`: compares the file's owner, group and mode with the process's.
func permissionDenied(_ node: RenderNode, in system: SystemView) -> Diagnosis {
    let us = "uid \(system.process.user), groups \(system.process.groups.map(String.init).joined(separator: " "))"
    guard let file = node.file else {
        return Diagnosis(.permissionDenied, "no permission to open \(node.path) as \(us)")
    }
    let owner = named(file.owner, system.userName)
    let group = named(file.group, system.groupName)
    let mode = "0" + String(file.mode, radix: 8)
    return Diagnosis(
        .permissionDenied, "\(node.path) belongs to \(owner):\(group) with mode \(mode), and vtx runs as \(us)",
        hint: hint(node, file, in: system))
}

private func named(_ id: UInt32, _ name: (UInt32) -> String?) -> String {
    name(id).map { "\($0)(\(id))" } ?? "\(id)"
}

/// The group that the kernel reports if a user namespace does not map it (/proc/sys/kernel/overflowgid).
private let overflowGroup: UInt32 = 65534

private func hint(_ node: RenderNode, _ file: FilePermissions, in system: SystemView) -> Message {
    let isContainer = HostEnvironment(system) == .container
    if file.isWithoutDevices {
        return isContainer
            ? "it was mounted as a file; pass it with --device \(node.path)"
            : "its file system is mounted with nodev, which disables devices"
    }
    // The process's own group may look the same but be another one: all unmapped groups have one number.
    if isContainer, file.group == overflowGroup {
        return "the group is not mapped into this container: podman takes --group-add keep-groups"
    }
    if file.letsIn(system.process) {
        return "its mode permits access, but a policy such as SELinux's or AppArmor's denies it; see its log"
    }
    guard file.mode & 0o060 == 0o060, !system.process.groups.contains(file.group) else {
        return "a udev rule must give the group read and write access: "
            + #"KERNEL=="renderD*", GROUP="render", MODE="0660""#
    }
    if isContainer { return "start the container with --group-add \(file.group)" }
    let group = system.groupName(file.group) ?? String(file.group)
    return "sudo usermod -aG \(group) $USER, then log in again; a container takes --group-add \(file.group)"
}

extension FilePermissions {
    /// The first matching class decides (path_resolution(7)).
    fileprivate func letsIn(_ process: SystemView.Process) -> Bool {
        let shift = process.user == owner ? 6 : process.groups.contains(group) ? 3 : 0
        return mode >> shift & 0o6 == 0o6
    }
}

/// Diagnoses the absence of render nodes.
package func diagnoseNoNode(in system: SystemView) -> Diagnosis {
    let hasDirectory = system.permissions("/dev/dri") != nil
    let kind: Diagnosis.Kind = hasDirectory ? .noRenderNode : .noDeviceDirectory
    let what = hasDirectory ? "/dev/dri has no render node (renderD128 ...)" : "there is no /dev/dri"
    switch HostEnvironment(system) {
    case .wsl:
        return Diagnosis(
            kind, "\(what): this is WSL2, whose kernel shows GPUs as /dev/dxg, not as DRM devices",
            hint: "transcode in software here, or run natively on Linux")
    case .container:
        return Diagnosis(
            kind, "\(what) in this container", hint: "start the container with --device /dev/dri/renderD128")
    case .host:
        return onHost(kind, what, in: system)
    }
}

private func onHost(_ kind: Diagnosis.Kind, _ what: String, in system: SystemView) -> Diagnosis {
    let gpus = displayControllers(system)
    guard let gpu = gpus.first else {
        return Diagnosis(kind, "\(what), and no GPU is on the PCI bus", hint: nil)
    }
    return Diagnosis(
        kind,
        "\(what), though the GPU \(gpus.joined(separator: ", ")) is on the PCI bus: its kernel driver is not loaded",
        hint: "look for the reason with: dmesg | grep -iE 'i915|xe|amdgpu|drm'; lspci -nnk -s \(gpu)")
}

/// The addresses of PCI devices of class 3, display controllers.
private func displayControllers(_ system: SystemView) -> [String] {
    system.list("/sys/bus/pci/devices").filter {
        system.read("/sys/bus/pci/devices/\($0)/class")?.hasPrefix("0x03") == true
    }
}

/// The environment of the process, as far as it affects hints.
package enum HostEnvironment: Sendable, Hashable {
    case host
    case container
    case wsl

    package init(_ system: SystemView) {
        // A container on WSL2 also has WSL's kernel, and lacks the node for the same reason.
        if system.read("/proc/sys/kernel/osrelease")?.lowercased().contains("microsoft") == true {
            self = .wsl
        } else if Self.containerSigns(system) {
            self = .container
        } else {
            self = .host
        }
    }

    private static func containerSigns(_ system: SystemView) -> Bool {
        if ["/.dockerenv", "/run/.containerenv"].contains(where: { system.permissions($0) != nil }) { return true }
        let groups = system.read("/proc/1/cgroup") ?? ""
        // Set by systemd's container interface, LXC, Podman, and vtx's image.
        return ["container", "KUBERNETES_SERVICE_HOST"].contains { system.environment($0)?.isEmpty == false }
            || ["docker", "kubepods", "containerd", "libpod", "/lxc"].contains { groups.contains($0) }
    }
}
