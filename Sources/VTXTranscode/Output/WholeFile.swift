/// A small file that is there whole, or not at all.
package enum WholeFile {
    /// - Throws: where the name is taken and must not be replaced; nothing is written for that.
    package static func check(_ path: String, overwrites: Bool) throws(TranscodeError) {
        guard !overwrites, OutputFile.exists(path) else { return }
        throw TranscodeError(.output, "output.exists", "'\(path)' exists already", hint: "-y replaces it")
    }

    package static func write(_ text: String, to path: String, overwrites: Bool) throws(TranscodeError) {
        try check(path, overwrites: overwrites)
        let file = try OutputFile.reserve(path, overwrites: overwrites, input: "")
        do throws(TranscodeError) {
            try file.write(text)
            try file.synchronize()
        } catch {
            file.discard()
            throw error
        }
        try file.commit()
    }
}
