import VTXMedia

/// What does not go with one form of a source, or of an output.
///
/// With standard input or output in a file's place that is all that reads a source twice, or goes back in an output. What is so by default is left out instead: a pipe has no journal, and what has gone into one is not checked.
struct PipeRule: Sendable {
    let option: OptionName
    /// Of the option's values the one that is meant; nil for any.
    var value: String?
    /// After the option and the pipe.
    let reason: Message
    /// nil: wherever the option is given.
    var applies: (@Sendable (TranscodeRequest) -> Bool)?

    static let ofInput = [
        PipeRule(option: .target, reason: "the source would be read several times"),
        PipeRule(option: .targetSize, reason: "the source would be read several times"),
        PipeRule(option: .crop, value: "auto", reason: "the source would be read twice", applies: { $0.crop == .auto }),
        PipeRule(option: .burnSubtitles, reason: "what draws them reads the source once more"),
        PipeRule(
            option: .start, reason: "video that is copied begins at a key frame, and that has to be sought",
            applies: { $0.copiesVideo }),
        PipeRule(option: .maxSizeRatio, reason: "its size is not known"),
        PipeRule(option: .replace, reason: "there is no source file to replace"),
    ]

    static let ofOutput = [
        PipeRule(
            option: .verify, reason: "a pipe cannot be read back",
            applies: { ![nil, .off].contains($0.verification) }),
        PipeRule(option: .targetSize, reason: "written data cannot be taken back"),
        PipeRule(option: .maxSizeRatio, reason: "written data cannot be taken back"),
        PipeRule(option: .hls, reason: "it writes a directory"),
        PipeRule(option: .dash, reason: "it writes a directory"),
        PipeRule(option: .ladder, reason: "it writes a directory"),
    ]

    /// Of files that follow each other.
    static let ofFollowingFiles = [
        PipeRule(option: .start, reason: "the first file begins at its beginning"),
        PipeRule(option: .target, reason: "samples are taken from one file"),
        PipeRule(option: .targetSize, reason: "samples are taken from one file"),
        PipeRule(
            option: .crop, value: "auto", reason: "black bars are detected in one file only",
            applies: { $0.crop == .auto }),
        PipeRule(option: .burnSubtitles, reason: "what draws them reads one file"),
        PipeRule(option: .parallel, reason: "one file is cut into parts"),
        PipeRule(option: .segments, reason: "one file is cut into segments"),
        PipeRule(option: .maxSizeRatio, reason: "the size of one file is known"),
        PipeRule(option: .inputFrameRate, reason: "raw streams are joined by cat"),
        PipeRule(option: .replace, reason: "the output has one place"),
    ]

    /// - Parameters:
    ///   - name: the pipe's.
    ///   - hint: what does go.
    func check(
        _ request: TranscodeRequest, _ given: Set<OptionName>, _ name: Message, hint: Message
    ) throws(TranscodeError) {
        guard given.contains(option), applies?(request) ?? true else { return }
        throw TranscodeError(.conflict, "\(option: option, value) does not go with \(name): \(reason)", hint: hint)
    }
}

extension TranscodeRequest {
    /// Files that follow the input are no setting, so this is no check of settings.
    func checkFollowingFiles(_ given: Set<OptionName>) throws(TranscodeError) {
        guard !appended.isEmpty else { return }
        for rule in PipeRule.ofFollowingFiles {
            try rule.check(self, given, "several inputs", hint: "join them first with a separate command")
        }
        guard !readsPipe, !appended.contains(StandardStream.path) else {
            throw TranscodeError(
                .conflict, "standard input cannot be one of several inputs", hint: "write it into a file first")
        }
    }

    func checkPipes(_ given: Set<OptionName>) throws(TranscodeError) {
        if readsPipe {
            for rule in PipeRule.ofInput {
                try rule.check(self, given, "standard input", hint: "give a file, or leave the option out")
            }
            guard output != nil else {
                throw TranscodeError(
                    .missingArgument, "standard input has no name to make the output's of",
                    hint: "name the output, or - for standard output")
            }
        }
        if writesPipe {
            for rule in PipeRule.ofOutput {
                try rule.check(self, given, "standard output", hint: "write a file, or leave the option out")
            }
        }
    }
}
