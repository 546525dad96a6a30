import VTXJSON
import VTXJobs
import VTXMedia
import VTXSystem
import VTXTask

extension ValueType where Value == ListenAddress {
    static var listenAddress: ValueType {
        ValueType("ADDRESS", expects: ListenAddress.forms, write: { "\($0)" }) { ListenAddress($0) }
    }
}

extension ValueType where Value == String {
    /// A directory, existing or not.
    static var directory: ValueType {
        ValueType("DIR", expects: "the path of a directory", completion: .files) { $0.isEmpty ? nil : $0 }
    }

    static var serverURL: ValueType {
        ValueType("URL", expects: "the URL of a vtx service, such as http://127.0.0.1:8080") {
            $0.hasPrefix("http://") || $0.hasPrefix("https://") ? $0 : nil
        }
    }
}

extension ValueType where Value == Int64 {
    static var byteCount: ValueType {
        ValueType("BYTES", expects: "a number of bytes, such as 500M or 100G", write: Self.written) { text in
            Bitrate.parse(text).flatMap { $0 > 0 ? Int64($0) : nil }
        }
    }

    private static func written(_ count: Int64) -> String {
        count % 1_000_000_000 == 0 ? "\(count / 1_000_000_000)G" : "\(count)"
    }
}

extension ValueType where Value == String {
    static var urlHost: ValueType {
        ValueType("HOST", expects: "a host, such as cdn.example.com, .example.com or *") { text in
            let isHost = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._:".contains($0)) }
            return text == "*" || !text.isEmpty && isHost ? text.lowercased() : nil
        }
    }
}

extension ValueType where Value == JobID {
    static var jobID: ValueType {
        ValueType("ID", expects: "the id of a job, as vtx jobs shows it") { JobID($0) }
    }
}

/// `NAME=VALUE`.
struct Assignment: Sendable, Hashable {
    var name: String
    var value: String

    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        (name, value) = (String(parts[0]), String(parts[1]))
    }

    /// The value as JSON, of the option's type. The service reports invalid names and values.
    var setting: JSONValue {
        OptionName(rawValue: name).flatMap(OptionCatalogue.option)?.value.json(value) ?? .string(value)
    }

    /// Whether the setting has several values.
    var isList: Bool { setting.array != nil }

    /// Returns settings by name. The values of a list are in the order given.
    static func settings(_ assignments: [Assignment]) -> [String: JSONValue] {
        Dictionary(assignments.map { ($0.name, $0.setting) }) { earlier, later in
            guard let values = earlier.array, let more = later.array else { return later }
            return .array(values + more)
        }
    }

    /// - Throws: for a name that is given twice.
    static func checkOnce(_ assignments: [Assignment], _ flag: String) throws(UsageError) {
        var values: [String: String] = [:]
        for assignment in assignments {
            guard let value = values.updateValue(assignment.value, forKey: assignment.name) else { continue }
            throw .contradiction(
                "\(flag): '\(assignment.name)' is given twice, as '\(value)' and '\(assignment.value)'",
                hint: "it has one value; give it once")
        }
    }
}

extension ValueType where Value == Assignment {
    static var assignment: ValueType {
        ValueType("NAME=VALUE", expects: "a name and a value, such as codec=hevc") { Assignment($0) }
    }

    static var label: ValueType {
        ValueType("NAME=VALUE", expects: "a name and a value, such as project=trailer") { Assignment($0) }
    }
}

extension Option {
    /// Creates an option that may be given several times.
    static func list<Value>(
        _ long: String, _ type: ValueType<Value>, into path: any Path<[Value]>, _ help: String
    ) -> Option {
        let description = OptionDescription(
            long: long, short: nil, value: type.description, defaultText: nil, help: help)
        return Option(description: description) { settings, text in
            guard let value = type.read(text) else { return false }
            settings[keyPath: path].append(value)
            return true
        }
    }
}

extension ValueType where Value == [String] {
    /// URLs separated by commas.
    static var natsServers: ValueType {
        ValueType(
            "URL", expects: "URLs of NATS servers, such as nats://10.0.0.5:4222 or tls://nats.example.com:4222",
            write: { $0.joined(separator: ",") }
        ) { text in
            let urls = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
            let areValid = urls.allSatisfy { url in
                ["nats://", "tls://"].contains { url.hasPrefix($0) && url.count > $0.count }
                    && !url.contains(where: \.isWhitespace)
            }
            return areValid ? urls : nil
        }
    }
}
