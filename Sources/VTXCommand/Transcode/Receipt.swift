import Glibc
import VTXJSON
import VTXMedia
import VTXSystem
import VTXTask

/// The file for `--receipt`: the source, the output, the plan, and digests that identify both files.
struct Receipt: Record {
    let type = "receipt"
    let formatVersion = 1
    let program = Program.version
    let source: KnownFile
    let output: KnownFile
    /// The plan as printed by `--json`.
    let plan: TranscodeEvent
    let result: ResultRecord

    /// - Parameter notices: The notices of all attempts, including those of workers that crashed.
    init(
        _ plan: TranscodePlan, _ result: TranscodeResult, of source: KnownFile, notices: [Notice]
    ) throws(SystemError) {
        self.source = source
        if let piped = result.pipedOutput { output = KnownFile(piped) } else { output = try KnownFile(result.output) }
        self.plan = .planned(plan)
        self.result = ResultRecord(result, notices: notices)
    }

    /// A file and its identifying properties.
    struct KnownFile: Encodable, Sendable {
        /// The absolute path; `-` for a pipe.
        let path: String
        let bytes: Int64
        let sha256: String

        /// - Parameter openedPath: A path to the file if its name may have changed.
        init(_ path: String, openedPath: String? = nil) throws(SystemError) {
            let file = try FileDescriptor(opening: openedPath ?? path)
            var (digest, bytes) = (SHA256(), Int64(0))
            while true {
                let chunk = try file.read(upTo: 1 << 20)
                if chunk.isEmpty { break }
                digest.add(chunk.span.bytes)
                bytes += Int64(chunk.count)
            }
            self.path = JournalRequest.here.absolutePath(path)
            self.bytes = bytes
            sha256 = digest.finish().hexadecimal
        }

        /// The data that was read from or written to a pipe.
        init(_ piped: PipedBytes) {
            (path, bytes, sha256) = (StandardStream.path, piped.count, piped.sha256)
        }
    }

    /// JSON Schema, draft 2020-12.
    static let schema: JSONValue = [
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The receipt of a transcode",
        "type": "object",
        "required": ["type", "formatVersion", "program", "source", "output", "plan", "result"],
        "properties": [
            "type": ["const": "receipt"],
            "formatVersion": ["const": 1, "description": "Incremented by incompatible changes."],
            "program": ["type": "string", "description": "The version of vtx."],
            "source": ["$ref": "#/$defs/file"],
            "output": ["$ref": "#/$defs/file"],
            "plan": [
                "type": "object", "required": ["type", "decisions"],
                "description": "The record `plan` of --json: each decision with its reason, each stream, the devices.",
            ],
            "result": [
                "type": "object", "required": ["type", "status", "exitCode", "frames", "seconds", "notices"],
                "description": "The record `result` of --json: the outcome, and every loss, fallback and fault.",
                "properties": [
                    "verification": ["$ref": "#/$defs/verification"],
                    "stageDevices": ["$ref": "#/$defs/stageDevices"],
                ],
            ],
        ],
        "$defs": [
            "file": [
                "type": "object", "required": ["path", "bytes", "sha256"],
                "properties": [
                    "path": [
                        "type": "string",
                        "description":
                            "The absolute path; - for standard input and output, whose data is digested while it passes.",
                    ],
                    "bytes": ["type": "integer", "minimum": 0],
                    "sha256": ["type": "string", "pattern": "^[0-9a-f]{64}$"],
                ],
            ],
            "verification": [
                "type": "object", "required": ["mode", "framesCompared", "framesEncodedAgain"],
                "description": "What the check of the output found; absent for pipes, ladders and copied video.",
                "properties": [
                    "mode": ["enum": ["full", "sample", "off"]],
                    "framesCompared": [
                        "type": "integer", "minimum": 0,
                        "description": "The decoded frames that were compared with the encoder's input.",
                    ],
                    "worstPSNR": [
                        "type": "number",
                        "description":
                            "The PSNR of the worst row of blocks in any of them, in dB; absent if all are equal.",
                    ],
                    "quality": [
                        "type": "object", "required": ["interval", "points"],
                        "description": "The same over time: the worst of each interval, in seconds, that has one.",
                        "properties": [
                            "interval": ["type": "number"],
                            "points": [
                                "type": "array",
                                "items": [
                                    "type": "object", "required": ["time", "psnr"],
                                    "properties": ["time": ["type": "number"], "psnr": ["type": "number"]],
                                ],
                            ],
                        ],
                    ],
                    "framesEncodedAgain": [
                        "type": "integer", "minimum": 0, "description": "The frames that an earlier check rejected.",
                    ],
                ],
            ],
            "stageDevices": [
                "type": "object", "required": ["decode", "filter", "encode"],
                "description":
                    "The devices of each stage, in order, also of runs that were resumed; absent for ladders and copied video.",
                "additionalProperties": ["type": "array", "items": ["type": "string"]],
            ],
        ],
    ]
}

/// The file of a receipt. Whether it can be written is tried at the beginning; it appears when everything is done, so
/// that a killed run leaves nothing of it.
final class ReceiptFile {
    private let path: String
    private let input: String
    private let replaces: Bool
    /// The source as it is read, whatever its name refers to at the end; nil for a pipe.
    private let source: FileDescriptor?

    /// - Throws: if it could not be written.
    init(_ path: String, _ request: TranscodeRequest) throws(TranscodeError) {
        (self.path, input) = (path, request.input)
        replaces = request.overwrite == .replace
        // An unreadable source ends the transcode with its own error.
        source = request.readsPipe ? nil : try? FileDescriptor(opening: request.input, O_RDONLY | O_NONBLOCK)
        let here = JournalRequest.here
        if let output = request.output, here.absolutePath(path) == here.absolutePath(output) {
            throw TranscodeError(
                .outputExists, "'\(path)' cannot be the output and its receipt", hint: "name another file")
        }
        try reportingOutputErrors { () throws(AtomicFileError) in
            for file in request.sourceFiles { try AtomicFile.checkDistinct(source: file, output: path) }
            // An earlier run may have been killed while it wrote the receipt.
            _ = AtomicFile.finishCommit(of: path)
            if !replaces, AtomicFile.exists(path) { throw .exists(path: path) }
            try AtomicFile.reserve(path, replaces: replaces).discard()
        }
    }

    /// Returns the notice that there is no receipt; nil if there is one.
    func absence(after result: TranscodeResult) -> Notice? {
        if result.isLate {
            return Notice(.outputReceipt, "'\(path)' is not written, because what the worker had found is lost")
        }
        guard result.outcome == .skipped, !AtomicFile.exists(path) else { return nil }
        return Notice(.outputReceipt, "'\(path)' is not written, because this run did not make '\(result.output)'")
    }

    /// - Parameters:
    ///   - plan: nil if none was made.
    ///   - notices: All reported notices.
    func finish(_ plan: TranscodePlan?, _ result: TranscodeResult, _ notices: [Notice]) throws(TranscodeError) {
        guard let plan, result.outcome != .skipped, !result.isLate else { return }
        let receipt: Receipt
        do throws(SystemError) {
            receipt = try Receipt(plan, result, of: knownSource(result), notices: notices)
        } catch {
            throw TranscodeError(
                .system, "'\(result.output)' is complete; the files for its receipt cannot be read: \(error)")
        }
        try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.write(receipt.line, to: path, replaces: replaces)
        }
    }

    private func knownSource(_ result: TranscodeResult) throws(SystemError) -> Receipt.KnownFile {
        if let piped = result.pipedSource { return Receipt.KnownFile(piped) }
        return try Receipt.KnownFile(input, openedPath: openedPath)
    }

    private var openedPath: String? {
        switch source {
        case .some(let file): file.path
        case .none: nil
        }
    }
}

extension TranscodeResult {
    /// Whether the worker died with its output in place.
    fileprivate var isLate: Bool { notices.contains { $0.kind == .workerLate } }
}
