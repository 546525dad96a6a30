import VTXMedia

/// An option or value that is incompatible with one form of the source or output.
///
/// For standard input or output, that is everything that reads the source twice or seeks in the output. Defaults of
/// this kind are disabled instead: a pipe has no journal, and its contents are not checked afterwards.
struct PipeRule: Sendable {
    let option: OptionName
    /// The incompatible value of the option; nil for any.
    var value: String?
    /// The reason, which follows the option and the pipe in the message.
    let reason: Message
    /// When the rule applies; nil for whenever the option is given.
    var applies: (@Sendable (TranscodeRequest) -> Bool)?

    static let ofInput = [
        PipeRule(option: .target, reason: "the source would be read several times"),
        PipeRule(option: .targetSize, reason: "the source would be read several times"),
        PipeRule(option: .twoPass, reason: "the source would be read twice"),
        PipeRule(option: .crop, value: "auto", reason: "the source would be read twice", applies: { $0.crop == .auto }),
        PipeRule(
            option: .burnSubtitles, reason: "burning in reads the source a second time",
            applies: { $0.drawnSubtitles?.file == nil }),
        PipeRule(
            option: .start, reason: "copied video begins at a key frame, which requires seeking",
            applies: { $0.copiesVideo }),
        PipeRule(option: .maxSizeRatio, reason: "its size is not known"),
        PipeRule(option: .replace, reason: "there is no source file to replace"),
    ]

    static let ofOutput = [
        PipeRule(
            option: .verify, reason: "a pipe cannot be read back",
            applies: { ![nil, .off].contains($0.verification) }),
        PipeRule(option: .targetSize, reason: "written data cannot be removed"),
        PipeRule(option: .maxSizeRatio, reason: "written data cannot be removed"),
        PipeRule(option: .skipCodecs, reason: "its reader waits for an output"),
        PipeRule(option: .hls, reason: "it writes a directory"),
        PipeRule(option: .dash, reason: "it writes a directory"),
        PipeRule(option: .ladder, reason: "it writes a directory"),
    ]

    /// The rules for joined files.
    static let ofFollowingFiles = [
        PipeRule(option: .start, reason: "joined files are read from their beginning"),
        PipeRule(option: .target, reason: "only one file can be sampled"),
        PipeRule(option: .targetSize, reason: "only one file can be sampled"),
        PipeRule(option: .twoPass, reason: "only one file can be read twice"),
        PipeRule(
            option: .crop, value: "auto", reason: "black bars are detected in one file only",
            applies: { $0.crop == .auto }),
        PipeRule(
            option: .burnSubtitles, reason: "burning in reads one file only",
            applies: { $0.drawnSubtitles?.file == nil }),
        PipeRule(option: .parallel, reason: "only one file can be split into parts"),
        PipeRule(option: .segments, reason: "only one file can be split into segments"),
        PipeRule(option: .maxSizeRatio, reason: "the limit is a fraction of one file's size"),
        PipeRule(option: .inputFrameRate, reason: "raw streams can be joined with cat"),
        PipeRule(option: .skipCodecs, reason: "files cannot be left out"),
        PipeRule(option: .replace, reason: "one output cannot replace several sources"),
    ]

    /// - Parameters:
    ///   - name: The name of the pipe.
    ///   - hint: What works instead.
    func check(
        _ request: TranscodeRequest, _ given: Set<OptionName>, _ name: Message, hint: Message
    ) throws(TranscodeError) {
        guard given.contains(option), applies?(request) ?? true else { return }
        throw TranscodeError(.conflict, "\(option: option, value) cannot be used with \(name): \(reason)", hint: hint)
    }
}

extension TranscodeRequest {
    /// Joined files are not a setting, so checking settings does not include this.
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
                    .missingArgument, "the output needs a name, because standard input has none",
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
