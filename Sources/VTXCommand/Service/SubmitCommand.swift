package import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

package struct SubmitSettings: ClientSettings {
    package var client = ClientOptions()
    package var input = ""
    var output: String?
    var settings: [Assignment] = []
    package var preset: String?
    var labels: [Assignment] = []
    package var priority: Int?
    package var key: String?
    var callback: String?
    package var uploads = false
    package var waits = false
    /// The path of the output on this host.
    package var download: String?

    package init() {}

    /// Returns the request's body. Relative paths are the client's; the service requires absolute ones.
    ///
    /// - Parameter upload: The ID of the upload that replaces the input's path.
    package func body(upload: String? = nil) -> JSONValue {
        let input = upload.map { ["upload": .string($0)] } ?? Self.place(input)
        var body: [String: JSONValue] = ["input": input]
        if let output { body["output"] = Self.place(output) }
        if let callback { body["callback"] = ["url": .string(callback)] }
        if let preset { body["preset"] = .string(preset) }
        if !settings.isEmpty { body["settings"] = .object(Assignment.settings(settings)) }
        if !labels.isEmpty { body["labels"] = .object(Dictionary(labels.map { ($0.name, .string($0.value)) }) { $1 }) }
        if let priority { body["priority"] = .integer(Int64(priority)) }
        return .object(body)
    }

    /// Checks that names with one value are given once. The service would get only one of the values.
    func check() throws(UsageError) {
        try Assignment.checkOnce(settings.filter { !$0.isList }, "--set")
        try Assignment.checkOnce(labels, "--label")
    }

    private static func place(_ text: String) -> JSONValue {
        let isURL = text.hasPrefix("http://") || text.hasPrefix("https://")
        return isURL ? ["url": .string(text)] : ["path": .string(absolute(text))]
    }

    private static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        let here = TextFile.linkTarget("/proc/self/cwd") ?? "/"
        return "\(here == "/" ? "" : here)/\(path)"
    }
}

extension Grammar where Settings == SubmitSettings {
    static let submit = Grammar(
        positionals: [
            .required(
                .filePath("INPUT"), into: \.input, "The file to read, a path on the service's host, or a URL."),
            .optional(
                .filePath("OUTPUT"), into: \.output,
                "The file to write, or a URL to PUT it to. By default a new file next to the input. With hls, dash or ladder it "
                    + "is a directory."),
        ],
        groups: [
            OptionGroup(
                "Job",
                [
                    .list(
                        "set", .assignment, into: \.settings,
                        "A setting, such as codec=hevc or quality=70; see docs/service.md. May be given several times: once "
                            + "for each setting, and for each value of audioTrack."),
                    .optional(
                        "preset", .presetName, into: \.preset,
                        "A preset of the service. --set overrides it."),
                    .optional("priority", .priority, into: \.priority, "Priority; higher runs sooner, 0 is normal."),
                    .list("label", .label, into: \.labels, "A label to find the job by."),
                    .optional(
                        "key", .key, into: \.key,
                        "Idempotency key: submitting twice with the same key creates one job. A file that is uploaded again is another request, and an error."
                    ),
                    .flag(
                        "upload", sets: \.uploads, to: true,
                        "Upload the input, a file on this host, first."),
                    .optional(
                        "callback", .callbackURL, into: \.callback, "URL to call when the job ends."),
                    .flag("wait", sets: \.waits, to: true, "Follow the job until it ends, like vtx watch."),
                    .optional(
                        "download", .filePath("FILE"), into: \.download,
                        "Follow the job and save its output to this file, like vtx download."),
                ]), .service,
        ])
}

extension ValueType where Value == Int {
    fileprivate static var priority: ValueType {
        ValueType("N", expects: "a number from -100 to 100") {
            Int($0).flatMap { JobSpecification.priorities.contains($0) ? $0 : nil }
        }
    }
}

extension ValueType where Value == String {
    fileprivate static var callbackURL: ValueType {
        ValueType("URL", expects: "an http or https URL") {
            $0.hasPrefix("http://") || $0.hasPrefix("https://") ? $0 : nil
        }
    }

    fileprivate static var presetName: ValueType {
        ValueType("NAME", expects: "the name of a preset") { $0.isEmpty ? nil : $0 }
    }

    fileprivate static var key: ValueType {
        ValueType("KEY", expects: "1 to 128 printable characters") { key in
            (1...128).contains(key.count) && key.allSatisfy { $0.isASCII && !$0.isWhitespace } ? key : nil
        }
    }
}

extension Command {
    package static func submit(_ run: @escaping Run<SubmitSettings>) -> Command {
        Command(
            "submit", "submit a job to a service",
            grammar: .submit,
            examples: [
                Example("vtx submit /media/in.mkv /media/out.mp4 --set codec=hevc --set quality=70", "One job"),
                Example("vtx submit in.mkv --wait", "Like vtx transcode, on the service's host"),
                Example(
                    "vtx submit in.mkv --upload --download out.mp4 --server http://gpu-box:8080",
                    "Upload, transcode, download"),
            ],
            run: { settings, console throws(UsageError) in
                try settings.check()
                return try run(settings, console)
            })
    }
}
