package import VTXJSON

/// What is asked for. `settings` are the option catalogue's; only the worker knows what they mean.
package struct JobSpecification: Sendable, Hashable, Codable {
    package var input: Input
    /// nil where the service chooses: beside the source, or in its own directory for an upload.
    package var output: Output?
    package var settings: [String: JSONValue]
    /// Where some of the settings came from.
    package var preset: String?
    /// The higher, the sooner; 0 is the default.
    package var priority: Int
    package var labels: [String: String]
    /// Told when the job has ended.
    package var callback: Callback?
    /// Must keep up with the source's time: its engines' time is reserved.
    package var realTime: Bool

    package init(
        input: Input, output: Output? = nil, settings: [String: JSONValue] = [:], preset: String? = nil,
        priority: Int = 0, labels: [String: String] = [:], callback: Callback? = nil, realTime: Bool = false
    ) {
        self.input = input
        self.output = output
        self.settings = settings
        self.preset = preset
        self.priority = priority
        self.labels = labels
        self.callback = callback
        self.realTime = realTime
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            input: try container.decode(Input.self, forKey: .input),
            output: try container.decodeIfPresent(Output.self, forKey: .output),
            settings: try container.decodeIfPresent([String: JSONValue].self, forKey: .settings) ?? [:],
            preset: try container.decodeIfPresent(String.self, forKey: .preset),
            priority: try container.decodeIfPresent(Int.self, forKey: .priority) ?? 0,
            labels: try container.decodeIfPresent([String: String].self, forKey: .labels) ?? [:],
            callback: try container.decodeIfPresent(Callback.self, forKey: .callback),
            realTime: try container.decodeIfPresent(Bool.self, forKey: .realTime) ?? false)
    }

    package static let priorities = -100...100

    /// One of them; in JSON an object with that one name.
    package struct Input: Sendable, Hashable, Codable {
        package var path: String?
        package var url: String?
        /// The id of an upload that is complete.
        package var upload: String?

        package init(path: String? = nil, url: String? = nil, upload: String? = nil) {
            (self.path, self.url, self.upload) = (path, url, upload)
        }

        /// For people.
        package var name: String { path ?? url ?? upload.map { "upload \($0)" } ?? "" }
    }

    /// One of them.
    package struct Output: Sendable, Hashable, Codable {
        package var path: String?
        /// Has the file under a name that the service chooses.
        package var directory: String?
        /// Takes the file by PUT.
        package var url: String?

        package init(path: String? = nil, directory: String? = nil, url: String? = nil) {
            (self.path, self.directory, self.url) = (path, directory, url)
        }
    }

    package struct Callback: Sendable, Hashable, Codable {
        package var url: String

        package init(url: String) { self.url = url }
    }
}
