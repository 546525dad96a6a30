import Glibc
import VTXCluster
import VTXCommand
import VTXHTTP
import VTXJobs
import VTXService
import VTXSystem

/// Runs `vtx serve` until a signal.
struct ServeRun: Sendable {
    let settings: ServeSettings
    let console: Console

    func run() -> ExitCode {
        do throws(ServiceError) {
            // Before other threads start, which must not receive the signals.
            var stops = try Self.stops()
            let service = try start()
            console.say(nil, "serving \(url(of: service)) for files below \(service.roots.joined(separator: ", "))")
            stops.waitForOne()
            console.say(nil, "stopping")
            service.stop()
            return .success
        } catch { return console.report(error, asJSON: false) }
    }

    private func shared() throws(ServiceError) -> String? {
        guard settings.shared == nil || settings.cluster != nil else {
            throw ServiceError(
                .usage, "cluster.missing", "--shared requires a cluster",
                hint: "--cluster nats://HOST:4222 names its NATS servers; without it uploads are in --state")
        }
        return settings.shared
    }

    static func stops() throws(ServiceError) -> StopSignalDescriptor {
        do throws(SystemError) { return try StopSignalDescriptor() } catch { throw explained(error) }
    }

    private func start() throws(ServiceError) -> Service {
        let roots = settings.roots.isEmpty ? ["."] : settings.roots
        do {
            var wanted = Service.Settings(
                version: Program.version, listen: settings.listen, state: settings.state ?? StateDirectory.standard,
                roots: roots, token: try settings.tokenFile.map(TokenFile.read))
            wanted.hostNames = settings.hostNames
            wanted.tls = try tls()
            wanted.urls = URLRules(hosts: settings.urlHosts, privateHosts: settings.privateURLHosts)
            wanted.inputLimit = settings.inputLimit
            wanted.callbackSecretFile = settings.callbackSecretFile
            wanted.cluster = settings.cluster ?? []
            wanted.shared = try shared()
            wanted.mayReplaceSources = settings.mayReplaceSources
            let service = try Service(wanted, runner: try Self.runner(console))
            try service.start()
            return service
        } catch { throw Self.explained(error) }
    }

    /// Creates the runner that starts the process of a job.
    ///
    /// - Parameter endsWithThis: Whether that process ends with this one.
    static func runner(_ console: Console, endsWithThis: Bool = false) throws -> (String) -> CommandRunner {
        let vtx = try Launch.installed("vtx").executable
        FlagSpelling.nameSettingsInRecords()
        let isSandboxed = Sandbox.isAvailable
        if !isSandboxed { console.say(nil, "workers run unsandboxed: this kernel has no Landlock, or forbids it") }
        return {
            CommandRunner(
                vtx, directory: $0, isSandboxed: isSandboxed, endsWithThis: endsWithThis, flags: FlagSpelling.arguments)
        }
    }

    private func url(of service: Service) -> String {
        Self.url(settings.certificateFile == nil ? "http" : "https", settings.listen, port: service.port)
    }

    /// - Parameter port: The actual port.
    static func url(_ scheme: String, _ listen: ListenAddress, port: UInt16) -> String {
        var address = listen
        if address.host.isEmpty { address.host = "0.0.0.0" }
        address.port = port
        return "\(scheme)://\(address)"
    }

    private func tls() throws(ServiceError) -> HTTPServer.TLS? {
        let (authorities, files) = (settings.clientAuthorityFile, [settings.certificateFile, settings.keyFile])
        guard authorities != nil || files.contains(where: { $0 != nil }) else { return nil }
        guard let certificate = settings.certificateFile, let key = settings.keyFile else {
            let other = authorities == nil ? "" : ", and for --tls-client-ca"
            throw ServiceError(.usage, "tls.incomplete", "--tls-cert and --tls-key are required together\(other)")
        }
        return HTTPServer.TLS(
            certificate: try Self.text(certificate), key: try Self.text(key),
            clientAuthorities: try authorities.map(Self.text))
    }

    private static func text(_ path: String) throws(ServiceError) -> String {
        guard let text = TextFile.read(path) else {
            throw ServiceError(.usage, "tls.file", "the file '\(path)' cannot be read")
        }
        return text
    }

    private static let hints = [
        "directory.unusable": "DIR is the directory that vtx capture writes the playlist to; create it first",
        "token.missing": "--token-file FILE has the token that clients must present; --tls-client-ca FILE has the "
            + "authority of their certificates",
        "cluster.state": "--cluster names its NATS servers; --state names another directory",
        "root.unusable": "--root names a directory that exists",
        "state.inUse": "--state names another directory: each server and each worker has its own",
        "state.unusable": "--state names a directory that can be written to",
    ]

    static func explained(_ error: any Error) -> ServiceError {
        switch error {
        case let error as ServiceError: error
        case let error as StoreError:
            ServiceError(.output, "store.\(error.kind.rawValue)", error.message, hint: error.hint)
        case let error as NATSError:
            ServiceError(.internalError, "cluster.\(error.kind.rawValue)", "the cluster cannot be joined: \(error)")
        case let error as Problem:
            ServiceError(.usage, error.code, error.detail, hint: Self.hints[error.code] ?? error.hint)
        case let error as SystemError where error.code == EADDRINUSE:
            ServiceError(
                .usage, "service.addressInUse", "another program uses the address: \(error)",
                hint: "--listen names another address")
        default: ServiceError(.internalError, "service.start", "the service cannot start: \(error)")
        }
    }
}

/// Reads a token from a file.
enum TokenFile {
    static func read(_ path: String) throws(ServiceError) -> String {
        guard let text = TextFile.read(path) else {
            throw ServiceError(.usage, "token.file", "the token file '\(path)' cannot be read")
        }
        let token = text.split(whereSeparator: \.isWhitespace).first.map { String($0) } ?? ""
        guard token.utf8.count >= 16 else {
            throw ServiceError(
                .usage, "token.short", "the token in '\(path)' has fewer than 16 characters",
                hint: "head -c 32 /dev/urandom | base64 makes one")
        }
        return token
    }
}
