/// What this module asks the machine, so that tests can answer instead. Nothing here writes.
package struct SystemView: Sendable {
    /// A text file's content; nil when it is not there or not readable.
    package var read: @Sendable (_ path: String) -> String?
    /// The names in a directory; none when it is not there.
    package var list: @Sendable (_ directory: String) -> [String]
    /// nil when the file is not there.
    package var status: @Sendable (_ path: String) -> FileStatus?
    package var linkTarget: @Sendable (_ path: String) -> String?
    /// libdrm's list of devices.
    package var drmDevices: @Sendable () -> [DRMDevice]
    /// DRM's own name of a node's kernel driver; nil when it cannot be opened.
    package var drmVersionName: @Sendable (_ path: String) -> String?
    package var environment: @Sendable (_ name: String) -> String?
    package var process: Process
    package var userName: @Sendable (_ id: UInt32) -> String?
    package var groupName: @Sendable (_ id: UInt32) -> String?

    package init(
        read: @escaping @Sendable (String) -> String?, list: @escaping @Sendable (String) -> [String],
        status: @escaping @Sendable (String) -> FileStatus?, linkTarget: @escaping @Sendable (String) -> String?,
        drmDevices: @escaping @Sendable () -> [DRMDevice], drmVersionName: @escaping @Sendable (String) -> String?,
        environment: @escaping @Sendable (String) -> String?, process: Process,
        userName: @escaping @Sendable (UInt32) -> String?, groupName: @escaping @Sendable (UInt32) -> String?
    ) {
        self.read = read
        self.list = list
        self.status = status
        self.linkTarget = linkTarget
        self.drmDevices = drmDevices
        self.drmVersionName = drmVersionName
        self.environment = environment
        self.process = process
        self.userName = userName
        self.groupName = groupName
    }

    /// Who asks.
    package struct Process: Sendable, Hashable {
        package var user: UInt32
        /// The effective group and the supplementary ones, sorted.
        package var groups: [UInt32]

        package init(user: UInt32, groups: [UInt32]) {
            self.user = user
            self.groups = groups
        }
    }
}
