import Glibc

/// A note about a thread's current work, written if the thread ends the process: by a signal that means a crash, or by
/// calling `exit`.
package final class CrashNote: Sendable {
    /// Signal handlers must not allocate. Never freed, because threads may be working when the process exits.
    private nonisolated(unsafe) let text: UnsafeMutablePointer<CChar>
    private let threads = Locked(0)

    /// - Parameter text: The text to write.
    package init(_ text: String) { self.text = strdup(text) }

    /// Whether a thread is currently doing this work.
    package var isInUse: Bool { threads.withLock { $0 > 0 } }

    /// Runs the work with this note.
    package func during<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        let outer = pthread_getspecific(noteOfThread)
        pthread_setspecific(noteOfThread, text)
        threads.withLock { $0 += 1 }
        defer {
            threads.withLock { $0 -= 1 }
            pthread_setspecific(noteOfThread, outer)
        }
        return try work()
    }

    /// From here on, writes notes when a thread ends the process. Existing crash handlers still run.
    package static func writeAll(to descriptor: Int32) {
        notesDescriptor = descriptor
        for number in [SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS] {
            var action = sigaction()
            sigaction(number, nil, &action)
            guard unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0 else { continue }
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            action.__sigaction_handler.sa_handler = { number in
                writeNote()
                // It is pending until this returns, and then has its default effect.
                raise(number)
            }
            sigaction(number, &action, nil)
        }
        atexit { writeNote() }
    }
}

/// Notes, one per subject of work.
package final class CrashNotes<Subject: Hashable & Sendable>: Sendable {
    private let text: @Sendable (Subject) -> String
    private let notes = Locked<[Subject: CrashNote]>([:])

    /// - Parameter text: Returns the text to write if work with a subject ends the process.
    package init(_ text: @escaping @Sendable (Subject) -> String) { self.text = text }

    package func note(of subject: Subject) -> CrashNote {
        notes.withLock { notes in
            if let note = notes[subject] { return note }
            let note = CrashNote(text(subject))
            notes[subject] = note
            return note
        }
    }

    /// The subjects at which threads are currently working.
    package var inUse: [Subject] { notes.withLock { $0.filter(\.value.isInUse).map(\.key) } }
}

/// The text of the calling thread's note.
private let noteOfThread: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
}()

/// Set once, before there are other threads.
private nonisolated(unsafe) var notesDescriptor: Int32 = -1

private func writeNote() {
    guard let text = pthread_getspecific(noteOfThread) else { return }
    _ = write(notesDescriptor, text, strlen(text.assumingMemoryBound(to: CChar.self)))
}
