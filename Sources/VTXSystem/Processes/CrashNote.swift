import Glibc

/// What is to be told of the work that a thread is at, should the process end there: by a signal that means a crash, or by a
/// call of `exit` out of the work itself.
package final class CrashNote: Sendable {
    package let subject: String
    /// A signal's handler may allocate nothing. Never freed: a thread may be at work at the process's end.
    private nonisolated(unsafe) let text: UnsafeMutablePointer<CChar>
    private let threads = Locked(0)

    /// - Parameter text: what is written then.
    package init(_ subject: String, text: String) {
        self.subject = subject
        self.text = strdup(text)
    }

    /// A thread is at this work at the moment.
    package var isInUse: Bool { threads.withLock { $0 > 0 } }

    /// The work of the calling thread.
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

    /// From here on notes are written where a thread ends the process. What handles a crash already goes on doing so.
    package static func writeAll(to descriptor: Int32) {
        notesDescriptor = descriptor
        for number in [SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS] {
            var action = sigaction()
            sigaction(number, nil, &action)
            guard unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0 else { continue }
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            action.__sigaction_handler.sa_handler = { number in
                writeNote()
                // It waits until this returns, and does then what it does without a handler.
                raise(number)
            }
            sigaction(number, &action, nil)
        }
        atexit { writeNote() }
    }
}

/// One note for each subject that is worked with.
package final class CrashNotes: Sendable {
    private let text: @Sendable (String) -> String
    private let notes = Locked<[String: CrashNote]>([:])

    /// - Parameter text: what is written where work with a subject ends the process.
    package init(_ text: @escaping @Sendable (String) -> String) { self.text = text }

    package func note(of subject: String) -> CrashNote {
        notes.withLock { notes in
            if let note = notes[subject] { return note }
            let note = CrashNote(subject, text: text(subject))
            notes[subject] = note
            return note
        }
    }

    /// The one subject that is worked with at this moment; nil where there are several, or none.
    package var onlyOneInUse: String? {
        let used = notes.withLock { $0.values.filter(\.isInUse).map(\.subject) }
        return used.count == 1 ? used[0] : nil
    }
}

/// The text of the note, of the thread that asks.
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
