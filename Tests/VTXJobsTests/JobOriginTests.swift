import Testing
import VTXJobs

@Suite("Where a cluster's jobs come from")
struct JobOriginTests {
    private static let key = IdempotencyKey(key: "k", digest: "d")

    private func job(_ origin: JobOrigin?) -> Job {
        Job(
            id: JobID(of: Self.key), JobSpecification(input: .init(path: "/media/in.mkv")), at: Timestamp(seconds: 0),
            origin: origin)
    }

    @Test("the same key makes the same id, another one another, and whatever was asked does not matter")
    func idsOfKeys() {
        let id = JobID(of: Self.key)
        #expect(JobID(id.text) == id)
        #expect(JobID(of: IdempotencyKey(key: "k", digest: "other")) == id)
        #expect(JobID(of: IdempotencyKey(key: "l", digest: "d")) != id)
        #expect(JobID(JobID(of: IdempotencyKey(key: "", digest: "")).text) != nil)
    }

    @Test("the same key with the same request is the same job, and with another one a conflict")
    func requestsOfKeys() {
        let job = job(JobOrigin(server: "one", key: Self.key))
        #expect(job.added(by: Self.key) == .existing(job))
        #expect(job.added(by: IdempotencyKey(key: "k", digest: "other")) == .conflict)
    }

    @Test("of several servers the one that took a job calls back; outside of a cluster every server does")
    func oneServerCallsBack() {
        let job = job(JobOrigin(server: "one"))
        #expect(job.callsBack(from: "one"))
        #expect(!job.callsBack(from: "other"))
        #expect(job.callsBack(from: nil))
        #expect(self.job(nil).callsBack(from: "other"))
    }
}
