import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

/// How many inputs of a batch are transcoded in parallel.
enum JobCount: Sendable, Hashable {
    /// Chosen by the machine and the work.
    case auto
    case count(Int)
}

extension ValueType where Value == JobCount {
    static var jobs: ValueType {
        ValueType(
            "N", expects: "auto, or a number from 1 to 64", completion: .words(["auto"]),
            write: { if case .count(let count) = $0 { "\(count)" } else { "auto" } },
            read: { text in
                if text == "auto" { return .auto }
                guard text.consists(of: "0123456789"), let count = Int(text), (1...64).contains(count) else {
                    return nil
                }
                return .count(count)
            })
    }
}

/// The number for `auto`, and the reason. Pure.
struct BatchJobs: Sendable, Hashable {
    var count: Int
    var reason: String

    /// An estimate of the frames held by the encoder with the longest lookahead and the stages before it, at 12 bits
    /// per pixel.
    private static let framesHeld: Int64 = 250
    /// The fraction of free memory for all transcodes together.
    private static let memoryShare = 0.5

    /// - Parameters:
    ///   - plan: The plan of one of the inputs. If it may be split, `laneDevices` are the GPUs that can encode it.
    ///   - isCut: Whether the user wants each input to be split.
    init(_ plan: TranscodePlan, isCut: Bool, inputs: Int, on machine: Machine) {
        let choice = Self.choose(plan.video.encoding, isCut, machine)
        count = max(1, min(choice.count, inputs))
        reason = choice.count > inputs ? "there are no more inputs" : choice.reason
    }

    private static func choose(
        _ encoding: VideoEncoding?, _ isCut: Bool, _ machine: Machine
    ) -> (count: Int, reason: String) {
        guard let encoding else { return (2, "copying video is limited by the disks") }
        if isCut { return (1, "with --parallel, each uses the whole machine") }
        guard encoding.device.name == "software" else {
            let gpus = max(1, Set(encoding.laneDevices).count)
            return (2 * gpus, gpus == 1 ? "two for the GPU" : "two for each of \(gpus) GPUs")
        }
        let size = encoding.encoder.size
        let busy = VideoEncoding.busyCores(at: size)
        let byMemory =
            Double(machine.memory) * memoryShare / Double(framesHeld * Int64(size.width * size.height) * 3 / 2)
        let byCores = machine.cores / busy
        if byMemory < Double(byCores) { return (Int(byMemory), "there is not enough free memory for more") }
        let share = busy < machine.cores ? "about \(busy) of \(machine.cores) cores" : "all cores"
        return (byCores, "at \(size) one encoder keeps \(share) busy")
    }
}

extension BatchRun {
    /// Decides by the first input that can be planned; nil if none of the first few can.
    func chooseJobs() -> BatchJobs? {
        for item in plan.items.prefix(3) {
            var request = settings.request
            (request.input, request.journal) = (item.input, nil)
            request.output = self.plan.replacesInputs ? nil : item.output
            // A plan that splits the video lists all GPUs that can encode it.
            if !request.copiesVideo { request.parallelism = .auto }
            // It does not depend on the quality.
            request.target = nil
            let listener = PlanListener()
            let policy = Supervision.Policy(for: request)
            guard (try? workers.run(WorkerOrder(.plan(request)), policy, listener).get()) != nil,
                let plan = listener.plan
            else { continue }
            let isCut = settings.request.parallelism != .standard
            return BatchJobs(plan, isCut: isCut, inputs: self.plan.items.count, on: .here)
        }
        return nil
    }
}

private final class PlanListener: WorkerListener {
    private(set) var plan: TranscodePlan?

    func report(_ event: WorkerEvent) -> Bool {
        if case .transcode(.planned(let plan)) = event { self.plan = plan }
        return true
    }
}
