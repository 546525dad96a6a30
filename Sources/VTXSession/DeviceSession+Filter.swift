package import VTXMedia

extension DeviceSession {
    /// A filter of this device with what it takes to bring frames to it, and from it to the next device.
    package func makeFilter(
        _ configuration: FilterConfiguration, from source: any DeviceSession, to target: any DeviceSession
    ) throws(SessionError) -> any VideoFilter {
        var chain: [any VideoFilter] = []
        if source.capabilities.device != capabilities.device { chain.append(try source.makeDownload(as: nil)) }
        chain.append(try makeFilter(configuration))
        if capabilities.device != target.capabilities.device {
            chain.append(try makeDownload(as: configuration.pixelFormat))
        }
        return chain.count == 1 ? chain[0] : FilterSequence(chain)
    }
}
