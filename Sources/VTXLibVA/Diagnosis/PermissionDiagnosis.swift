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
        cure: cure(node, file, in: system))
}

private func named(_ id: UInt32, _ name: (UInt32) -> String?) -> String {
    name(id).map { "\($0)(\(id))" } ?? "\(id)"
}

/// What the kernel shows for a group that a user namespace does not map (/proc/sys/kernel/overflowgid).
private let overflowGroup: UInt32 = 65534

private func cure(_ node: RenderNode, _ file: FileStatus, in system: SystemView) -> String {
    let isContainer = Surroundings(system) == .container
    // Ours may look the same, and be others: what is not mapped has one number for all.
    let isUnmapped = isContainer && file.group == overflowGroup
    let mayGroup = file.mode & 0o060 == 0o060
    guard mayGroup, isUnmapped || !system.process.groups.contains(file.group) else {
        return "a udev rule has to give the group reading and writing: "
            + #"KERNEL=="renderD*", GROUP="render", MODE="0660""#
    }
    if isUnmapped { return "the group is not mapped into this container: podman takes --group-add keep-groups" }
    if isContainer { return "start the container with --group-add \(file.group)" }
    let group = system.groupName(file.group) ?? String(file.group)
    return "sudo usermod -aG \(group) $USER, then log in again; a container takes --group-add \(file.group)"
}
