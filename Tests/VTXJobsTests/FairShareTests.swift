import Testing
import VTXJobs

@Suite("Fair scheduling")
struct FairShareTests {
    private var shares = FairShare()

    @Test("priority comes first, then age")
    func order() {
        let jobs = [Job.named("c", at: 3), .named("a", at: 1), .named("b", at: 2, priority: 5)]
        #expect(shares.order(jobs).map(\.id) == [.named("b"), .named("a"), .named("c")])
    }

    @Test("a tenant with a thousand jobs does not block another")
    func tenants() {
        let many = (0..<1000).map { Job.named("a\($0)", at: Double($0), tenant: "big") }
        let order = shares.order(
            many + [.named("b1", at: 2000, tenant: "small"), .named("b2", at: 2001, tenant: "small")])
        #expect(order.prefix(4).filter { $0.tenant == "small" }.count == 2)
    }

    @Test("past usage counts, and decays")
    mutating func fading() {
        shares.charge("a", seconds: 100, at: 0)
        shares.charge("b", seconds: 60, at: 3600)
        let jobs = [Job.named("a", tenant: "a"), .named("b", at: 1, tenant: "b")]
        #expect(abs(shares.used(by: "a") - 50) < 0.1)
        #expect(shares.order(jobs).first?.tenant == "a")
        shares.charge("b", seconds: 0, at: 3600 * 100)
        #expect(shares.used(by: "b") == 0)
    }

    @Test("a real-time job has the highest priority")
    func realTime() {
        let jobs = [Job.named("a", priority: 100), .named("b", at: 1, realTime: true)]
        #expect(shares.order(jobs).first?.id == .named("b"))
    }
}
