/// The process's arguments.
enum Arguments {
    /// The arguments behind the program's name. Swift repairs bytes that are not UTF-8, and a repaired name is
    /// another file's, so such an argument is an error.
    static func read(
        _ count: Int32, _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) throws(UsageError) -> [String] {
        var arguments: [String] = []
        for index in 1..<max(1, Int(count)) {
            guard let pointer = pointers[index] else { break }
            guard let argument = String(validatingCString: pointer) else {
                throw .notUTF8(String(cString: pointer))
            }
            arguments.append(argument)
        }
        return arguments
    }
}
