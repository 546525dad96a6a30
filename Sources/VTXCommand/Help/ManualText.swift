/// The chapters of the manual that no table holds.
enum ManualText {
    static let description = [
        "vtx converts video files to HEVC and H.264 and keeps the rest of what they hold. It decides by itself "
            + "what can be decided from the file, says what it decided and why, and checks what it wrote."
    ]

    static let output = [
        "Standard output carries data only: plans, records, help. Messages for people go to standard error, with "
            + "a progress bar when that is a terminal.",
        "With --json, standard output carries one JSON object a line. Each has a type: plan, notice, progress, "
            + "stream, nalUnit, version, device, probe, step or result. The last one is always the result, also after "
            + "errors and signals; its status is "
            + "completed, incompleteSource, skipped, failed or cancelled, and its exitCode is that of the command. "
            + "Readers should ignore keys and types that they do not know.",
    ]

    static let signals = [
        "SIGINT, SIGTERM and SIGHUP stop the work and remove the unfinished output. A second one ends the process "
            + "at once; what it leaves behind is replaced by the next run."
    ]

    static let environment: [(name: String, meaning: String)] = [
        ("NO_COLOR", "No colours, when set to anything."),
        ("VTX_GPU_TIMEOUT", "Seconds that a GPU's driver may do nothing; 0 is for ever."),
        ("TERM", "Neither colours nor a progress bar, when unset or dumb."),
    ]
}
