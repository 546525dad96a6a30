// swift-tools-version: 6.2
import PackageDescription

// The forms in which programs use VideoToolbox, on vtx. They see only what any package sees.

func example(_ name: String, on product: String = "VTX") -> Target {
    .executableTarget(name: name, dependencies: [.product(name: product, package: "vtx"), "ExampleMedia"])
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
        example("CameraToFile"),
        example("FileToFile"),
        example("Preview"),
        example("NALUnits", on: "VTXBitstream"),
        .target(name: "ExampleMedia", dependencies: [.product(name: "VTX", package: "vtx")]),
    ],
    swiftLanguageModes: [.v6]
)
