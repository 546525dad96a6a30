// swift-tools-version: 6.2
import PackageDescription

// The five forms in which programs use VideoToolbox, on vtx. They see only what any package sees.

func example(_ name: String, on more: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: [.product(name: "VTX", package: "vtx"), "ExampleMedia"] + more)
}

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "vtx", path: "..")],
    targets: [
        example("WholeProgram"),
        example("Configuration"),
        example("Compression"),
        example("SamplesToFile"),
        example("Decompression"),
        example("CameraToFile", on: ["CVideo4Linux"]),
        .target(name: "ExampleMedia", dependencies: [.product(name: "VTX", package: "vtx")]),
        .target(name: "CVideo4Linux"),
    ],
    swiftLanguageModes: [.v6]
)
