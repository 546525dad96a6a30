import FoundationEssentials
import VTXHTTP

/// What clients of tus 1.0 (tus.io, "Resumable upload protocol") send and expect.
enum Tus {
    static let version = "1.0.0"
    static let contentType = "application/offset+octet-stream"

    /// - Throws: 412 for a client of another version.
    static func check(_ request: HTTPRequest) throws(Problem) {
        guard let asked = request.header("tus-resumable"), asked != version else { return }
        var problem = Problem(412, "upload.version", "this service speaks tus \(version), not \(asked)")
        problem.headers = [("Tus-Version", version)]
        throw problem
    }

    /// The name in `filename BASE64,filetype BASE64`.
    static func name(inMetadata text: String) -> String? {
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: " ")
            guard parts.count == 2, ["filename", "name"].contains(parts[0]) else { continue }
            return Data(base64Encoded: String(parts[1])).flatMap { String(data: $0, encoding: .utf8) }
        }
        return nil
    }
}
