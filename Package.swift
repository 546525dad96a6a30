// swift-tools-version: 6.1
import PackageDescription

// The layers, top to bottom; imports point downward only. `scripts/build` passes
// `--explicit-target-dependency-import-check error`, which rejects other imports.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func layer(
    _ name: String, on dependencies: [Target.Dependency] = [], path: String? = nil, resources: [Resource] = []
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, resources: resources, swiftSettings: strict)
}

func tests(of name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies, swiftSettings: strict)
}

let package = Package(
    name: "vtx",
    products: [
        .executable(name: "vtx", targets: ["VTXProgram"]),
        .executable(name: "vtx-driver", targets: ["VTXDriverProgram"]),
        .executable(name: "vtx-service", targets: ["VTXServiceProgram"]),
        .executable(name: "vtx-worker", targets: ["VTXWorkerProgram"]),
        .library(name: "VTX", targets: ["VTX"]),
        .library(name: "VTXBitstream", targets: ["VTXBitstream"]),
    ],
    targets: [
        // The programs, the command and the library.
        .executableTarget(name: "VTXProgram", dependencies: ["VTXCommand"], swiftSettings: strict),
        // The process that queries a driver.
        .executableTarget(
            name: "VTXDriverProgram", dependencies: ["VTXProbe", "VTXWorker", "VTXTask", "VTXMedia", "VTXSystem"],
            swiftSettings: strict),
        // The server and its client commands: their libraries take long to load.
        .executableTarget(
            name: "VTXServiceProgram",
            dependencies: [
                "VTXCommand", "VTXService", "VTXCluster", "VTXTask", "VTXHTTP", "VTXJobs", "VTXJSON", "VTXSystem",
            ],
            swiftSettings: strict),
        layer(
            "VTXCommand",
            on: ["VTXWorker", "VTXProbe", "VTXTask", "VTXMedia", "VTXJobs", "VTXJSON", "VTXSystem"]),
        // The process that loads codecs and drivers.
        .executableTarget(
            name: "VTXWorkerProgram",
            dependencies: ["VTX", "VTXTranscode", "VTXProbe", "VTXWorker", "VTXTask", "VTXMedia", "VTXSystem"],
            swiftSettings: strict),
        layer(
            "VTX",
            on: [
                "VTXTranscode", "VTXCapture", "VTXSoftware", "VTXVAAPI", "VTXSession", "VTXFFmpeg", "VTXLibVA",
                "VTXBitstream",
                "VTXProbe", "VTXTask", "VTXMedia", "VTXSystem",
            ]),

        // The pipeline and the backends; the pipeline names no backend.
        layer(
            "VTXTranscode",
            on: [
                "VTXJournal", "VTXPlaylist", "VTXSession", "VTXFFmpeg", "VTXBitstream", "VTXTask", "VTXMedia",
                "VTXSystem",
            ]),
        // Recording a camera or a live input, in real time.
        layer(
            "VTXCapture",
            on: [
                "VTXPlaylist", "VTXSession", "VTXFFmpeg", "VTXBitstream", "VTXTask", "VTXMedia", "VTXSystem", "CV4L2",
                "CALSA",
            ]),
        layer("VTXSoftware", on: ["VTXSession", "VTXFFmpeg", "VTXBitstream", "VTXMedia", "VTXSystem"]),
        layer("VTXVAAPI", on: ["VTXSession", "VTXFFmpeg", "VTXLibVA", "VTXBitstream", "VTXMedia", "VTXSystem"]),

        // GPU capabilities and load; no codec.
        layer("VTXProbe", on: ["VTXLibVA", "VTXTask", "VTXMedia", "VTXSystem"]),
        // Both ends of a worker: the task in, the events out, and the supervisor.
        layer("VTXWorker", on: ["VTXTask", "VTXMedia", "VTXSystem"]),
        // The contract, the safe C layers, pure bytes, the vocabulary.
        layer("VTXTask", on: ["VTXJSON", "VTXMedia", "VTXSystem"]),
        layer("VTXSession", on: ["VTXFFmpeg", "VTXBitstream", "VTXMedia", "VTXSystem"]),
        layer("VTXFFmpeg", on: ["CFFmpeg", "CVTXShims", "VTXMedia", "VTXSystem"]),
        layer("VTXLibVA", on: ["CLibVA", "VTXJSON", "VTXMedia", "VTXSystem"]),
        layer("VTXBitstream", on: ["VTXMedia", "VTXSystem"]),
        // The encoded part of an output, on disk; no codec, no container.
        layer("VTXJournal", on: ["VTXJSON", "VTXSystem"]),
        // The text of playlists; no file, no container.
        layer("VTXPlaylist"),
        layer("VTXMedia"),
        layer("VTXJSON"),

        // The service on one host: API, workers, files.
        layer(
            "VTXService",
            on: [
                "VTXTask", "VTXStore", "VTXCluster", "VTXHTTP", "VTXPlaylist", "VTXJobs", "VTXJSON", "VTXMedia",
                "VTXSystem",
                "CSystem",
            ],
            resources: [.embedInCode("Dashboard/Web")]),
        // The service's jobs and their scheduling, independent of video.
        layer("VTXJobs", on: ["VTXJSON", "VTXSystem"]),
        layer("VTXStore", on: ["VTXJobs", "VTXJSON", "VTXSystem", "CSQLite"]),
        layer("VTXCluster", on: ["VTXJobs", "VTXJSON", "VTXSystem", "CNATS"]),
        layer("VTXHTTP", on: ["VTXSystem", "CMicroHTTPD", "CCurl"]),
        layer("VTXSystem", on: ["CSystem"]),

        // C.
        .target(name: "CVTXShims", dependencies: ["CFFmpeg"]),
        .systemLibrary(
            name: "CFFmpeg", pkgConfig: "libavformat",
            providers: [.apt(["libavcodec-dev", "libavformat-dev", "libavfilter-dev", "libswscale-dev"])]),
        // xf86drm.h needs libdrm's include path; libva's headers need none, and the module map links both.
        .systemLibrary(
            name: "CLibVA", pkgConfig: "libdrm", providers: [.apt(["libva-dev", "libdrm-dev"])]),

        .systemLibrary(name: "CSystem"),
        .systemLibrary(name: "CV4L2"),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),

        // Tests: one target per module, and the media that they generate.
        layer(
            "VTXTestMedia", on: ["CFFmpeg", "CVTXShims", "VTXFFmpeg", "VTXMedia", "VTXSystem"],
            path: "Tests/Support/TestMedia"),
        // A server and a client that send what no real one would.
        layer("VTXTestHTTP", on: ["VTXHTTP", "VTXSystem"], path: "Tests/Support/TestHTTP"),
        // Values and processes for tests that need no codec.
        layer("VTXTestValues", on: ["VTXTask", "VTXMedia", "VTXSystem"], path: "Tests/Support/TestValues"),
        // The requirements on every backend; each backend's tests run it.
        layer(
            "VTXConformance", on: ["VTXSession", "VTXFFmpeg", "VTXBitstream", "VTXMedia", "VTXTestMedia"],
            path: "Tests/Support/Conformance"),
        // Measures the search for start codes; scripts/bench runs it.
        .executableTarget(
            name: "StartCodeBench", dependencies: ["CFFmpeg", "VTXBitstream", "VTXMedia"], path: "Tests/Bench",
            swiftSettings: strict),
        // An hour of frames through both sessions; scripts/soak runs it.
        .executableTarget(name: "Soak", dependencies: ["VTX"], path: "Tests/Soak", swiftSettings: strict),
        tests(of: "VTXMedia"),
        tests(of: "VTXSystem", on: ["VTXTestMedia", "VTXTestValues"]),
        tests(of: "VTXPlaylist"),
        tests(of: "VTXJournal", on: ["VTXSystem", "VTXTestMedia"]),
        tests(of: "VTXTask", on: ["VTXJSON", "VTXMedia", "VTXSystem", "VTXTestValues"]),
        tests(of: "VTXWorker", on: ["VTXTask", "VTXMedia", "VTXSystem", "VTXTestValues"]),
        tests(of: "VTXJSON"),
        tests(of: "VTXFFmpeg", on: ["CFFmpeg", "VTXMedia", "VTXSystem", "VTXTestMedia"]),
        tests(of: "VTXLibVA", on: ["VTXMedia", "VTXSystem", "VTXTestMedia"]),
        tests(of: "VTXBitstream", on: ["VTXMedia", "VTXSystem", "VTXFFmpeg", "VTXTestMedia"]),
        tests(of: "VTXSession", on: ["VTXMedia", "VTXSystem", "VTXFFmpeg", "VTXBitstream"]),
        tests(
            of: "VTXSoftware",
            on: [
                "VTXMedia", "VTXFFmpeg", "VTXBitstream", "VTXSession", "VTXSystem", "VTXTestMedia",
                "VTXConformance",
            ]),
        tests(
            of: "VTXVAAPI",
            on: [
                "VTXMedia", "VTXFFmpeg", "VTXLibVA", "VTXBitstream", "VTXSession", "VTXTestMedia", "VTXConformance",
                "VTXSoftware", "VTXTranscode", "VTXTask", "VTXSystem",
            ]),
        tests(
            of: "VTXTranscode",
            on: [
                "VTXMedia", "VTXSystem", "VTXTask", "VTXFFmpeg", "VTXBitstream", "VTXSession", "VTXSoftware",
                "VTXJournal", "VTXTestMedia", "VTXTestValues",
            ]),
        tests(
            of: "VTXCapture",
            on: [
                "VTXMedia", "VTXSystem", "VTXTask", "VTXBitstream", "VTXFFmpeg", "VTXSession", "VTXSoftware",
                "VTXTestMedia",
            ]),
        tests(
            of: "VTX",
            on: [
                "VTXMedia", "VTXFFmpeg", "VTXLibVA", "VTXVAAPI", "VTXSoftware", "VTXBitstream", "VTXSession",
                "VTXTranscode", "VTXProbe", "VTXTask", "VTXTestMedia", "VTXSystem",
            ]),
        // Files from end to end. A target of its own, because a compiler takes one core for each.
        .testTarget(
            name: "VTXEndToEndTests",
            dependencies: [
                "VTX", "VTXMedia", "VTXFFmpeg", "VTXSoftware", "VTXBitstream", "VTXSession", "VTXTranscode", "VTXTask",
                "VTXTestMedia", "VTXSystem",
            ],
            swiftSettings: strict),
        tests(
            of: "VTXService",
            on: [
                "VTXHTTP", "VTXStore", "VTXTask", "VTXMedia", "VTXJobs", "VTXJSON", "VTXSystem", "VTXTestHTTP",
                "VTXTestValues",
            ]),
        tests(of: "VTXJobs", on: ["VTXJSON"]),
        tests(of: "VTXStore", on: ["VTXJobs", "VTXJSON", "VTXSystem"]),
        tests(of: "VTXCluster", on: ["VTXJobs", "VTXJSON", "VTXSystem"]),
        tests(of: "VTXHTTP", on: ["VTXSystem", "VTXTestHTTP"]),
        tests(
            of: "VTXCommand",
            on: [
                "VTXMedia", "VTXSystem", "VTXTask", "VTXProbe", "VTXWorker", "VTXJobs", "VTXJSON", "VTXTestValues",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// `scripts/test` builds the programs in Examples/ with the tests. They see only what any package sees.
if Context.environment["VTX_EXAMPLES"] != nil {
    func example(_ name: String, on library: String = "VTX") -> Target {
        .executableTarget(
            name: name, dependencies: [.target(name: library), "ExampleMedia"], path: "Examples/Sources/\(name)",
            packageAccess: false)
    }
    package.targets += [
        example("WholeProgram"),
        example("Configuration"),
        example("Compression"),
        example("SamplesToFile"),
        example("Decompression"),
        example("CameraToFile"),
        example("FileToFile"),
        example("Preview"),
        example("NALUnits", on: "VTXBitstream"),
        .target(
            name: "ExampleMedia", dependencies: ["VTX"], path: "Examples/Sources/ExampleMedia", packageAccess: false),
    ]
}

// `scripts/test` runs its checks on the programs of the tests' build. With the modules that read pixels, samples and
// JSON unoptimized, the tests would take a quarter longer.
if Context.environment["VTX_OPTIMIZES_LOOPS"] != nil {
    let loops: Set = [
        "VTXFFmpeg", "VTXSystem", "VTXSession", "VTXJSON", "VTXJournal", "VTXStore", "VTXHTTP", "VTXTestMedia",
    ]
    for target in package.targets where loops.contains(target.name) {
        target.swiftSettings = strict + [.unsafeFlags(["-O"])]
    }
}

// `scripts/check` builds only these: they need neither a GPU driver nor a whole transcode.
if Context.environment["VTX_PURE_TARGETS"] != nil {
    let modules = [
        "VTXMedia", "VTXSystem", "VTXJSON", "VTXPlaylist", "VTXTask", "VTXJournal", "VTXJobs", "VTXBitstream",
        "VTXFFmpeg",
        "VTXSession",
        "VTXLibVA",
    ]
    let pure = Set(modules + modules.map { "\($0)Tests" }).subtracting(["VTXFFmpegTests"])
    let libraries: Set = ["CSystem", "CFFmpeg", "CLibVA", "CVTXShims", "VTXTestMedia", "VTXTestValues"]
    package.targets.removeAll { !pure.contains($0.name) && !libraries.contains($0.name) }
    package.products.removeAll()
}
