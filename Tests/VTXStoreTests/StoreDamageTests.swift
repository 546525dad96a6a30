import Glibc
import Testing
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@Suite("A damaged store")
struct DamageTests {
    private let place: Place

    init() throws { place = try Place() }

    /// A killed server's database, with a log of several transactions.
    private func killed() throws {
        let store = try place.store()
        for number in 1...20 { _ = try store.add(job(number), key: nil, [event("x")]) }
        let (database, log) = try (place.bytes("vtx.db"), place.bytes("vtx.db-wal"))
        store.close()
        for name in Directory.names(in: place.directory) { unlink("\(place.directory)/\(name)") }
        try place.write(database, to: "vtx.db")
        try place.write(log, to: "vtx.db-wal")
    }

    private func problem() -> StoreError? {
        do throws(StoreError) { _ = try SQLiteStore(path: place.path) } catch { return error }
        return nil
    }

    @Test("a killed server's writes are kept")
    func replay() throws {
        try killed()
        #expect(try place.store().counts() == [.queued: 20])
    }

    @Test("a truncated log is replayed up to its end")
    func torn() throws {
        try killed()
        let log = try place.bytes("vtx.db-wal")
        try place.write(log.dropLast(3000), to: "vtx.db-wal")
        #expect(try place.store().counts() == [.queued: 19])
    }

    @Test("a log corrupted in the middle is an error, and nothing is changed", arguments: [0.1, 0.3, 0.6, 0.9])
    func spoiledLog(part: Double) throws {
        try killed()
        var log = try place.bytes("vtx.db-wal")
        for index in 0..<16 { log[Int(Double(log.count) * part) + index] ^= 0xff }
        try place.write(log, to: "vtx.db-wal")
        let found = try #require(problem())
        #expect(
            found.kind == .damaged && found.message.contains("write-ahead log")
                && found.hint?.contains(".recover") == true)
        #expect(try place.bytes("vtx.db-wal") == log)
    }

    @Test("a log with a corrupt header is an error")
    func spoiledHeader() throws {
        try killed()
        var log = try place.bytes("vtx.db-wal")
        log[9] ^= 0xff
        try place.write(log, to: "vtx.db-wal")
        #expect(problem()?.kind == .damaged)
    }

    @Test("a database with a corrupt page, or an invalid file, is an error")
    func spoiledDatabase() throws {
        let store = try place.store()
        for number in 1...200 { _ = try store.add(job(number), key: nil, []) }
        store.close()
        var database = try place.bytes("vtx.db")
        for index in 0..<4096 { database[4096 * 3 + index] = 0xa5 }
        try place.write(database, to: "vtx.db")
        #expect(problem()?.kind == .damaged)
        try place.write(Array("this is no database, but it is long enough for one".utf8), to: "vtx.db")
        #expect(problem()?.kind == .damaged)
    }

    @Test("a newer version's database is not changed")
    func newer() throws {
        try place.store().close()
        var database = try place.bytes("vtx.db")
        // The user version, in the header at 60.
        database[63] = 99
        try place.write(database, to: "vtx.db")
        #expect(problem()?.kind == .newer)
        #expect(try place.bytes("vtx.db") == database)
    }
}
