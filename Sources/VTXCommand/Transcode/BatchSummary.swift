import VTXSystem

/// The results of several inputs.
struct BatchSummary: Sendable, Hashable {
    /// The exit code of the first failure; `size` or `incompleteSource` if there is nothing worse.
    private(set) var exitCode = ExitCode.success
    private(set) var done = 0
    /// The number of skipped inputs.
    private(set) var skipped = 0
    private(set) var failed = 0
    /// The number of inputs that a signal stopped, or kept from starting.
    private(set) var cancelled = 0
    /// The size of the sources that are done.
    private(set) var sourceBytes: Int64 = 0
    private(set) var outputBytes: Int64 = 0

    /// - Parameter before: The file with the output's name before the start.
    mutating func add(_ item: BatchPlan.Item, _ ended: ExitCode, before: FileStatus?) {
        let isMild = [.success, .size, .incompleteSource].contains(ended)
        if exitCode == .success || [.size, .incompleteSource].contains(exitCode) && !isMild { exitCode = ended }
        if ended == .interrupted || ended == .terminated { return cancelled += 1 }
        // The source stays as it is.
        if ended == .size { return skipped += 1 }
        guard ended == .success || ended == .incompleteSource else { return failed += 1 }
        // A skipped source leaves its output as it is, or missing.
        guard let output = FileStatus(item.output), before?.identity != output.identity else { return skipped += 1 }
        done += 1
        sourceBytes += item.byteCount
        outputBytes += output.byteCount
    }

    /// - Parameter item: An input that was only planned.
    mutating func addPlanned(_ item: BatchPlan.Item, _ ended: ExitCode) {
        guard ended == .success else { return add(item, ended, before: nil) }
        done += 1
    }

    var files: Int { done + skipped + failed + cancelled }

    /// `3 files: 1 done, 1 skipped, 1 failed; 1.2 GB became 700.0 MB, 42 % less`.
    var text: String {
        let counts = [(done, "done"), (skipped, "skipped"), (failed, "failed"), (cancelled, "cancelled")]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return "\(files) \(files == 1 ? "file" : "files"): \(counts.joined(separator: ", "))\(saving)"
    }

    private var saving: String {
        guard done > 0, sourceBytes > 0 else { return "" }
        let percent = Int((100 * (1 - Double(outputBytes) / Double(sourceBytes))).rounded())
        let change = percent == 0 ? "" : ", \(abs(percent)) % \(percent > 0 ? "less" : "more")"
        return "; \(Format.bytes(sourceBytes)) became \(Format.bytes(outputBytes))\(change)"
    }
}
