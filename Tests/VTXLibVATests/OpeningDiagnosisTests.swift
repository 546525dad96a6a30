import Glibc
import Testing
import VTXLibVA
import VTXMedia

@Suite("Diagnoses of nodes that do not open")
struct OpeningDiagnosisTests {
    private let path = "/dev/dri/renderD128"
    private let drivers = "/usr/lib/x86_64-linux-gnu/dri"

    private func diagnosis(
        _ cause: DisplayError.Cause, attempts: [DriverAttempt] = [], _ system: FakeSystem = FakeSystem(),
        change: (inout RenderNode) -> Void = { _ in }
    ) throws -> Diagnosis {
        var node = RenderNode(path: path, deviceID: .tigerLake, kernelDriver: "i915", file: .renderNode)
        change(&node)
        let error = DisplayError(path: path, cause: cause, attempts: attempts)
        return try #require(NodeReport(node, .failure(error), in: system.view).diagnoses.first)
    }

    private func attempt(_ driver: String?, _ messages: [String]) -> DriverAttempt {
        DriverAttempt(driver: driver, error: VAError(status: -1, call: "vaInitialize"), messages: messages)
    }

    private let failure = DisplayError.Cause.initialize(VAError(status: -1, call: "vaInitialize"))

    @Test("permission denied has owner, group, mode, user, and the exact commands")
    func permission() throws {
        let found = try diagnosis(.open(errno: EACCES))
        #expect(found.kind == .permissionDenied)
        #expect(
            found.sentence
                == "\(path) belongs to root(0):render(105) with mode 0660, and vtx runs as uid 1000, groups 1000")
        #expect(
            found.hint
                == "sudo usermod -aG render $USER, then log in again; a container takes --group-add 105")
    }

    @Test("in a container the hint is --group-add, by number")
    func container() throws {
        var system = FakeSystem()
        system.permissions["/.dockerenv"] = FilePermissions(owner: 0, group: 0, mode: 0o644)
        system.groups[105] = nil
        let found = try diagnosis(.open(errno: EACCES), system)
        #expect(found.hint == "start the container with --group-add 105")
        #expect(found.sentence.contains("root(0):105 "))
        let unmapped = try diagnosis(.open(errno: EACCES), system) { $0.file?.group = 65534 }
        #expect(unmapped.hint?.contains("keep-groups") == true)
        system.process.groups = [1000, 65534]
        let alike = try diagnosis(.open(errno: EACCES), system) { $0.file?.group = 65534 }
        #expect(alike.hint?.contains("keep-groups") == true)
    }

    @Test("without group access, joining the group does not help")
    func mode() throws {
        let closed = try diagnosis(.open(errno: EACCES)) { $0.file?.mode = 0o600 }
        #expect(closed.hint?.contains("udev") == true && closed.sentence.contains("0600"))
        let hidden = try diagnosis(.open(errno: EACCES)) { $0.file = nil }
        #expect(hidden.kind == .permissionDenied && hidden.hint == nil)
    }

    @Test("if the mode allows access, the reason is another")
    func policy() throws {
        let open = try diagnosis(.open(errno: EACCES)) { $0.file?.mode = 0o666 }
        #expect(open.hint?.contains("SELinux") == true)
        var system = FakeSystem()
        system.process.groups = [105, 1000]
        #expect(try diagnosis(.open(errno: EACCES), system).hint?.contains("SELinux") == true)
    }

    @Test("a node on a nodev mount is a file, with any mode", arguments: [0o666, 0o660, 0o600])
    func file(mode: UInt32) throws {
        var system = FakeSystem()
        func hint() throws -> Message? {
            try diagnosis(.open(errno: EACCES), system) {
                $0.file = FilePermissions(owner: 0, group: 105, mode: mode, isWithoutDevices: true)
            }.hint
        }
        #expect(try hint()?.contains("nodev") == true)
        system.permissions["/.dockerenv"] = FilePermissions(owner: 0, group: 0, mode: 0o644)
        #expect(try hint() == "it was mounted as a file; pass it with --device \(path)")
    }

    @Test("a node not passed to the container, and a removed one")
    func others() throws {
        #expect(try diagnosis(.open(errno: EPERM)).kind == .notPermittedByContainer)
        #expect(try diagnosis(.open(errno: EPERM)).hint?.contains("--device \(path)") == true)
        #expect(try diagnosis(.open(errno: ENODEV)).kind == .nodeGone)
        #expect(try diagnosis(.notDRM).kind == .notDRM)
    }

    @Test("no driver file: the package for this GPU, and the searched paths")
    func driverMissing() throws {
        let attempts = [
            attempt(nil, ["Trying to open \(drivers)/iHD_drv_video.so", "va_openDriver() returns -1"]),
            attempt("iHD", ["Trying to open \(drivers)/iHD_drv_video.so"]),
        ]
        let intel = try diagnosis(failure, attempts: attempts)
        #expect(intel.kind == .driverMissing)
        #expect(intel.sentence.hasSuffix("needs the VA driver iHD_drv_video.so, which is not in \(drivers)"))
        #expect(intel.hint?.contains("intel-media-va-driver-non-free") == true)
        let amd = try diagnosis(failure, attempts: attempts) { $0.deviceID = .navi21 }
        #expect(amd.hint == "install Debian's package mesa-va-drivers")
        let haswell = try diagnosis(failure, attempts: attempts) {
            $0.deviceID = PCIDeviceID(vendor: .intel, device: 0x0412)
        }
        #expect(haswell.sentence.contains("i965_drv_video.so") && haswell.hint?.contains("i965-va-driver") == true)
    }

    @Test("only the wrong driver in an image: the right one is missing")
    func wrongDriver() throws {
        var system = FakeSystem()
        system.permissions["\(drivers)/i965_drv_video.so"] = FilePermissions(owner: 0, group: 0, mode: 0o644)
        let attempts = [attempt("i965", ["Trying to open \(drivers)/i965_drv_video.so", "init failed"])]
        #expect(try diagnosis(failure, attempts: attempts, system).kind == .driverMissing)
    }

    @Test("a driver that fails: its message and libva's")
    func driverFailed() throws {
        var system = FakeSystem()
        system.permissions["\(drivers)/iHD_drv_video.so"] = FilePermissions(owner: 0, group: 0, mode: 0o644)
        let words = ["Trying to open \(drivers)/iHD_drv_video.so", "\(drivers)/iHD_drv_video.so init failed"]
        let found = try diagnosis(failure, attempts: [attempt(nil, words)], system)
        #expect(found.kind == .driverFailed && found.sentence.contains("iHD_drv_video.so init failed"))
        system.environment["LIBVA_DRIVER_NAME"] = "radeonsi"
        let forced = try diagnosis(failure, attempts: [attempt(nil, words)], system)
        #expect(forced.kind == .driverFailed && forced.hint?.contains("unset LIBVA_DRIVER_NAME") == true)
    }

    @Test(
        "nodes without a VA driver",
        arguments: [
            ("nvidia-drm", Diagnosis.Kind.nvidia), ("nouveau", .nvidia), ("virtio_gpu", .virtualGPU),
            ("vgem", .virtualGPU), ("vmwgfx", .virtualGPU),
        ])
    func special(driver: String, kind: Diagnosis.Kind) throws {
        #expect(try diagnosis(failure) { $0.kernelDriver = driver }.kind == kind)
    }
}
