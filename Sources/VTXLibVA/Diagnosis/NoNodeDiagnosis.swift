import VTXMedia

/// There is no render node at all.
package func diagnoseNoNode(in system: SystemView) -> Diagnosis {
    let hasDirectory = system.status("/dev/dri") != nil
    let kind: Diagnosis.Kind = hasDirectory ? .noRenderNode : .noDeviceDirectory
    let what = hasDirectory ? "/dev/dri has no render node (renderD128 ...)" : "there is no /dev/dri"
    switch HostEnvironment(system) {
    case .wsl:
        return Diagnosis(
            kind, "\(what): this is WSL2, whose kernel shows GPUs as /dev/dxg, not as DRM devices",
            hint: "transcode in software here, or run on Linux itself")
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

/// The addresses of the PCI devices of class 3, display controllers.
private func displayControllers(_ system: SystemView) -> [String] {
    system.list("/sys/bus/pci/devices").filter {
        system.read("/sys/bus/pci/devices/\($0)/class")?.hasPrefix("0x03") == true
    }
}
