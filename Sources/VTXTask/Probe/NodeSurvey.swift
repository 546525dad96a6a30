/// What is known of a render node without the library: who uses it, and what its driver said.
package struct NodeSurvey: Sendable, Hashable, Codable {
    /// The render node.
    package var path: String
    /// Other processes that have the node open.
    package var processes: Int
    /// Of the time, in percent, in which the GPU worked for one of them; nil where the kernel does not count that.
    package var busyPercent: Int?
    package var probe: NodeProbe

    package init(path: String, processes: Int, busyPercent: Int?, probe: NodeProbe) {
        self.path = path
        self.processes = processes
        self.busyPercent = busyPercent
        self.probe = probe
    }
}
