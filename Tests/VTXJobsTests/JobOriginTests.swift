import Testing
import VTXJobs

@Suite("The origin of a cluster's jobs")
struct JobOriginTests {
    private static let key = IdempotencyKey(key: "k", digest: "d")

    private func job(_ origin: JobOrigin?) -> Job {
        Job(
            id: JobID(of: Self.key), JobSpecification(input: .init(path: "/media/in.mkv")), at: Timestamp(seconds: 0),
            origin: origin)
    }

    @Test("the id depends only on the key, not on the request")
    func idsOfKeys() {
        let id = JobID(of: Self.key)
        #expect(JobID(id.text) == id)
        #expect(JobID(of: IdempotencyKey(key: "k", digest: "other")) == id)
        #expect(JobID(of: IdempotencyKey(key: "l", digest: "d")) != id)
        #expect(JobID(JobID(of: IdempotencyKey(key: "", digest: "")).text) != nil)
    }

    @Test("the same key with the same request is the same job, with another request a conflict")
    func requestsOfKeys() {
        let job = job(JobOrigin(server: "one", key: Self.key))
        #expect(job.added(by: Self.key) == .existing(job))
        #expect(job.added(by: IdempotencyKey(key: "k", digest: "other")) == .conflict)
    }

    @Test("in a cluster the server that accepted a job calls back, otherwise every server does")
    func oneServerCallsBack() {
        let job = job(JobOrigin(server: "one"))
        #expect(job.callsBack(from: "one"))
        #expect(!job.callsBack(from: "other"))
        #expect(job.callsBack(from: nil))
        #expect(self.job(nil).callsBack(from: "other"))
    }
}
