package import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// What `vtx submit` was told.
package struct SubmitSettings: ClientSettings {
    package var client = ClientOptions()
    package var input = ""
    var output: String?
    var settings: [Assignment] = []
    var preset: String?
    var labels: [Assignment] = []
    package var priority: Int?
    package var key: String?
    var callback: String?
    package var uploads = false
    package var waits = false
    /// Where the output goes on this host.
    package var download: String?

    package init() {}

    /// The request's body. Paths are the client's: the service wants them absolute.
    ///
    /// - Parameter upload: the id of what was sent in place of the input's path.
    package func body(upload: String? = nil) -> JSONValue {
        let input = upload.map { ["upload": .string($0)] } ?? Self.place(input)
        var body: [String: JSONValue] = ["input": input]
        if let output { body["output"] = Self.place(output) }
        if let callback { body["callback"] = ["url": .string(callback)] }
        if let preset { body["preset"] = .string(preset) }
        if !settings.isEmpty { body["settings"] = .object(Dictionary(settings.map { ($0.name, $0.setting) }) { $1 }) }
        if !labels.isEmpty { body["labels"] = .object(Dictionary(labels.map { ($0.name, .string($0.value)) }) { $1 }) }
        if let priority { body["priority"] = .integer(Int64(priority)) }
        return .object(body)
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
                .filePath("INPUT"), into: \.input, "The file to read, as the service's host sees it, or a URL."),
            .optional(
                .filePath("OUTPUT"), into: \.output,
                "The file to write, or a URL that takes it by PUT. By default a name beside the input."),
        ],
        groups: [
            OptionGroup(
                "Job",
                [
                    .list(
                        "set", .assignment, into: \.settings,
                        "A setting, such as codec=hevc or quality=70; docs/service.md lists them. May be given several times."
                    ),
                    .optional(
                        "preset", .presetName, into: \.preset,
                        "Settings that the service knows by this name; those of --set count more."),
                    .optional("priority", .priority, into: \.priority, "The higher, the sooner; 0 is usual."),
                    .list("label", .label, into: \.labels, "A word of your own to find the job by."),
                    .optional(
                        "key", .key, into: \.key,
                        "A key of your own: submitting twice with the same key makes one job."),
                    .flag(
                        "upload", sets: \.uploads, to: true,
                        "Send the input to the service first: the file is one of this host."),
                    .optional(
                        "callback", .callbackURL, into: \.callback, "A URL to call when the job has ended."),
                    .flag("wait", sets: \.waits, to: true, "Follow the job to its end, as vtx watch does."),
                    .optional(
                        "download", .filePath("FILE"), into: \.download,
                        "Follow the job, and fetch its output into this file, as vtx download does."),
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
            "submit", "give a job to a service",
            grammar: .submit,
            examples: [
                Example("vtx submit /media/in.mkv /media/out.mp4 --set codec=hevc --set quality=70", "One job"),
                Example("vtx submit in.mkv --wait", "Like vtx transcode, on the service's host"),
                Example(
                    "vtx submit in.mkv --upload --download out.mp4 --server http://gpu-box:8080",
                    "A file of this host, and back"),
            ],
            run: run)
    }
}
