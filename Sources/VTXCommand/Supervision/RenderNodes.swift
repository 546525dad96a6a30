import VTXSystem

enum RenderNodes {
    /// Whether there is a GPU that might be asked; no driver is loaded for that.
    static var exist: Bool { Directory.names(in: "/dev/dri").contains { $0.hasPrefix("renderD") } }
}
