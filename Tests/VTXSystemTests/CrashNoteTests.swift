import Testing
import VTXSystem

@Suite("The activity of a process that ends")
struct CrashNoteTests {
    @Test("is recorded while a thread is in it")
    func use() throws {
        let notes = CrashNotes<String> { "\($0)\n" }
        let (one, other) = (notes.note(of: "one"), notes.note(of: "other"))
        #expect(notes.note(of: "one") === one && notes.inUse.isEmpty)
        one.during {
            #expect(notes.inUse == ["one"])
            other.during { #expect(Set(notes.inUse) == ["one", "other"] && one.isInUse) }
            #expect(notes.inUse == ["one"])
        }
        #expect(notes.inUse.isEmpty)
    }

    @Test("is cleared if the work fails")
    func failure() {
        struct Failure: Error {}
        let note = CrashNote("one")
        #expect(throws: Failure.self) { try note.during { () throws(Failure) in throw Failure() } }
        #expect(!note.isInUse)
    }
}
