import VTXJobs

extension JobRecord {
    /// What `json` writes.
    static var schema: Schema {
        let states = Schema.string(.init(words: JobState.allCases.map(\.rawValue)))
        let time = Schema.string(.init(format: "date-time"))
        let object = Schema.object(.init([], isOpen: true))
        return .named(
            "Job",
            .object(
                .init(
                    [
                        .init("id", .string(), "20 characters.", required: true),
                        .init("state", states, "Where it is in its life.", required: true),
                        .init("stopping", .string(), "Its worker was told to stop: why."),
                        .init("input", object, "As it was submitted.", required: true),
                        .init("output", object, "As it was submitted."),
                        .init("settings", object, "As they were submitted, with those of the preset.", required: true),
                        .init("preset", .string(), "As it was submitted."),
                        .init("priority", .integer(-100...100), "The higher, the sooner.", required: true),
                        .init("labels", object, "As they were submitted.", required: true),
                        .init("createdAt", time, "When it was submitted.", required: true),
                        .init("startedAt", time, "When its first attempt began."),
                        .init("endedAt", time, "When it ended."),
                        .init("retryAt", time, "It starts no sooner."),
                        .init("reason", .string(), "Why it was skipped."),
                        .init("error", object, "Why it has failed: code, category, message, hint."),
                        .init("result", object, "Output, frames, bytes, seconds."),
                        .init("progress", object, "How far it is, while a worker is at it."),
                        .init(
                            "attempts", .array(of: object, max: 64), "The first and the newest ones.", required: true),
                    ], isOpen: true)))
    }
}
