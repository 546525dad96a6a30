package import VTXSystem

/// What is sent back.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// A part of a file.
        case file(SharedFile, offset: Int64, count: Int64)
        /// Goes on as long as there is something to tell.
        case stream(HTTPStream)
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body

    package init(_ status: Int, headers: [(name: String, value: String)] = [], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package init(_ status: Int, _ type: String, _ text: String, headers: [(name: String, value: String)] = []) {
        self.init(status, type, Array(text.utf8), headers: headers)
    }

    package init(_ status: Int, _ type: String, _ bytes: [UInt8], headers: [(name: String, value: String)] = []) {
        self.init(status, headers: [("Content-Type", type)] + headers, body: .bytes(bytes))
    }
}

/// An open file that a response is made of.
package final class SharedFile: Sendable {
    package let descriptor: FileDescriptor

    package init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
}
