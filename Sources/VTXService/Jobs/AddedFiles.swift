import VTXHTTP
import VTXJSON
import VTXMedia
import VTXSystem
import VTXTask

// Files that a job names in its settings: audio and subtitles that it adds, and subtitles that it burns in. Like a
// source, they must be below a root.
extension JobFiles {
    /// Returns the settings with the resolved paths of these files.
    ///
    /// - Throws: `path.relative`, `path.outside`, `path.notFound` and so on, with the setting as the JSON pointer.
    func resolvingFiles(in settings: [String: JSONValue]) throws(Problem) -> [String: JSONValue] {
        var settings = settings
        for option in [OptionName.addAudio, .addSubtitles] {
            guard let value = settings[option.rawValue] else { continue }
            var files: [JSONValue] = []
            for text in value.array ?? [value] {
                guard var file = text.string.flatMap(AddedFile.init(text:)) else { continue }
                file.path = try resolved(file.path, option)
                try checkText(of: file, option)
                files.append(.string("\(file)"))
            }
            settings[option.rawValue] = .array(files)
        }
        let burnSubtitles = OptionName.burnSubtitles.rawValue
        if let file = settings[burnSubtitles]?.string.flatMap(DrawnSubtitles.init)?.file {
            settings[burnSubtitles] = .string(try resolved(file, .burnSubtitles))
        }
        return settings
    }

    /// - Throws: `path.name` if a worker would read another path in the text, because that of a link's target ends like
    ///   properties.
    private func checkText(of file: AddedFile, _ option: OptionName) throws(Problem) {
        guard AddedFile(text: "\(file)") != file else { return }
        let problem = Problem(
            422, "path.name", "the end of '\(file.path)' looks like properties", hint: "rename the file")
        throw Self.problem(problem, option)
    }

    private func resolved(_ path: String, _ option: OptionName) throws(Problem) -> String {
        do throws(Problem) {
            let real = try roots.realPath(ofSource: path)
            for pictures in VobSub.pictures(of: real) where FileStatus(pictures, followsLinks: false) != nil {
                _ = try roots.realPath(ofSource: pictures)
            }
            return real
        } catch { throw Self.problem(error, option) }
    }

    private static func problem(_ error: Problem, _ option: OptionName) -> Problem {
        var problem = error
        problem.errors = [SchemaProblem("/settings/\(option.rawValue)", problem.detail, isSentence: true)]
        return problem
    }
}
