import VTXMedia

/// `EACCES`: the file's owner, group and mode against who we are.
func permissionDenied(_ node: RenderNode, in system: SystemView) -> Diagnosis {
    let us = "uid \(system.process.user), groups \(system.process.groups.map(String.init).joined(separator: " "))"
    guard let file = node.file else {
        return Diagnosis(.permissionDenied, "\(node.path) may not be opened by us (\(us))")
    }
    let owner = named(file.owner, system.userName)
    let group = named(file.group, system.groupName)
    let mode = "0" + String(file.mode, radix: 8)
    return Diagnosis(
        .permissionDenied, "\(node.path) belongs to \(owner):\(group) with mode \(mode), and we are \(us)",
        hint: hint(node, file, in: system))
}

private func named(_ id: UInt32, _ name: (UInt32) -> String?) -> String {
    name(id).map { "\($0)(\(id))" } ?? "\(id)"
}

/// What the kernel shows for a group that a user namespace does not map (/proc/sys/kernel/overflowgid).
private let overflowGroup: UInt32 = 65534

private func hint(_ node: RenderNode, _ file: FileStatus, in system: SystemView) -> Message {
    let isContainer = HostEnvironment(system) == .container
    if file.isWithoutDevices {
        return isContainer
            ? "it came in as a file; pass it in with --device \(node.path)"
            : "it is where devices count as files: the file system is mounted with nodev"
    }
    // Ours may look the same, and be others: what is not mapped has one number for all.
    if isContainer, file.group == overflowGroup {
        return "the group is not mapped into this container: podman takes --group-add keep-groups"
    }
    if file.letsIn(system.process) {
        return "its mode lets us in: a policy such as SELinux's or AppArmor's forbids it, and its log says which"
    }
    guard file.mode & 0o060 == 0o060, !system.process.groups.contains(file.group) else {
        return "a udev rule has to give the group reading and writing: "
            + #"KERNEL=="renderD*", GROUP="render", MODE="0660""#
    }
    if isContainer { return "start the container with --group-add \(file.group)" }
    let group = system.groupName(file.group) ?? String(file.group)
    return "sudo usermod -aG \(group) $USER, then log in again; a container takes --group-add \(file.group)"
}

extension FileStatus {
    /// The first class that fits decides (path_resolution(7)).
    fileprivate func letsIn(_ process: SystemView.Process) -> Bool {
        let shift = process.user == owner ? 6 : process.groups.contains(group) ? 3 : 0
        return mode >> shift & 0o6 == 0o6
    }
}
