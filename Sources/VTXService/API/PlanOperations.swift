import VTXHTTP
import VTXJSON
import VTXJobs

/// What would be done, without doing it.
struct PlanOperations: Sendable {
    let submission: JobSubmission
    let pool: WorkerPool

    var all: [Operation] { [plan] }

    private var plan: Operation {
        Operation(
            id: "plan", method: "POST", path: "/v1/plan", tag: "jobs",
            summary: "What would be done with a source, and why",
            description: "What a job with this request would find. Nothing is written.", scope: .submit,
            body: .json(JobSpecification.planSchema),
            responses: [
                .init(status: 200, description: "The plan.", schema: .object(.init([], isOpen: true))),
                .init(
                    status: 422, description: "It could not be done.", type: Problem.contentType,
                    schema: Problem.schema),
            ], lane: .slow
        ) { call in .json(try pool.preview(try submission.specification(call.body))) }
    }
}

extension Problem {
    /// Why a plan cannot be made.
    init(_ failure: Failure) {
        let status = [.worker, .device, .busy, .network].contains(failure.category) ? 503 : 422
        self.init(status, failure.code, failure.message, hint: failure.hint)
    }
}
