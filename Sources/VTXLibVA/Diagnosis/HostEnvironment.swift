/// Where the process runs, as far as that decides what a hint looks like.
package enum HostEnvironment: Sendable, Hashable {
    case host
    case container
    case wsl

    package init(_ system: SystemView) {
        // A container on WSL2 has WSL's kernel too, and misses the node for the same reason.
        if system.read("/proc/sys/kernel/osrelease")?.lowercased().contains("microsoft") == true {
            self = .wsl
        } else if Self.containerSigns(system) {
            self = .container
        } else {
            self = .host
        }
    }

    private static func containerSigns(_ system: SystemView) -> Bool {
        if ["/.dockerenv", "/run/.containerenv"].contains(where: { system.status($0) != nil }) { return true }
        let groups = system.read("/proc/1/cgroup") ?? ""
        // What systemd's container interface, LXC and Podman say; vtx's own image does too.
        return ["container", "KUBERNETES_SERVICE_HOST"].contains { system.environment($0)?.isEmpty == false }
            || ["docker", "kubepods", "containerd", "libpod", "/lxc"].contains { groups.contains($0) }
    }
}
