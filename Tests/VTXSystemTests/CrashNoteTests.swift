import Testing
import VTXSystem

@Suite("What a process that ends was at")
struct CrashNoteTests {
    @Test("is known as long as a thread is at it, and where it is the only one")
    func use() throws {
        let notes = CrashNotes { "\($0)\n" }
        let (one, other) = (notes.note(of: "one"), notes.note(of: "other"))
        #expect(notes.note(of: "one") === one && notes.onlyOneInUse == nil)
        one.during {
            #expect(notes.onlyOneInUse == "one")
            other.during { #expect(notes.onlyOneInUse == nil && one.isInUse) }
            #expect(notes.onlyOneInUse == "one")
        }
        #expect(notes.onlyOneInUse == nil)
    }

    @Test("also where the work fails")
    func failure() {
        struct Failure: Error {}
        let note = CrashNote("one", text: "")
        #expect(throws: Failure.self) { try note.during { () throws(Failure) in throw Failure() } }
        #expect(!note.isInUse)
    }
}
