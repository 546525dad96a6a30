package import VTXJSON
package import VTXJobs

// Messages that are not stored, for those that are listening.
extension Cluster {
    package func publishProgress(_ text: String, of job: JobID) throws(NATSError) {
        try connection.publish(text, to: "vtx.progress.\(job)")
    }

    package func listenToProgress() throws(NATSError) -> NATSSubscription {
        try connection.listen(to: "vtx.progress.*")
    }

    /// Tells the job's worker to read its record again.
    package func publishChange(of job: JobID) throws(NATSError) { try connection.publish("", to: "vtx.changed.\(job)") }

    package func listenToChanges() throws(NATSError) -> NATSSubscription { try connection.listen(to: "vtx.changed.*") }

    // MARK: Thumbnails

    /// - Parameter name: Which of the job's thumbnails it is.
    package func publishPicture(_ bytes: [UInt8], _ name: String, of job: JobID) throws(NATSError) {
        try connection.publish(bytes, to: "vtx.picture.\(job).\(name)")
    }

    package func listenToPictures() throws(NATSError) -> NATSSubscription {
        try connection.listen(to: "vtx.picture.*.*")
    }

    /// Returns the job and the name of a thumbnail.
    package static func picture(of message: NATSMessage) -> (job: JobID, name: String)? {
        let parts = message.subject.split(separator: ".")
        guard parts.count == 4, let job = JobID(String(parts[2])) else { return nil }
        return (job, String(parts[3]))
    }

    // MARK: Requests

    /// Sends a request to a worker and waits for the response.
    ///
    /// - Throws: `.missing` for a worker that is not connected.
    package func ask(worker: String, _ question: JSONValue, seconds: Double) throws(NATSError) -> JSONValue {
        let subject = "vtx.ask.\(Self.key(ofWorker: worker))"
        let answer = try connection.request(question.text, to: subject, seconds: seconds)
        do { return try JSONValue(parsing: answer.text) } catch {
            throw NATSError(.refused, "ask '\(worker)'", "its answer cannot be read: \(error)")
        }
    }

    package func listenToQueries(to worker: String) throws(NATSError) -> NATSSubscription {
        try connection.listen(to: "vtx.ask.\(Self.key(ofWorker: worker))")
    }

    package func answer(_ question: NATSMessage, _ answer: JSONValue) throws(NATSError) {
        try connection.publish(answer.text, to: question.reply)
    }

    /// Restricts a worker's name to the characters allowed in keys and subjects.
    package static func key(ofWorker name: String) -> String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    }
}
