/// The process's arguments, as they were given.
package enum ProcessArguments {
    /// One that is not UTF-8, made so to be shown.
    package struct NotUTF8: Error, Hashable {
        package let repaired: String

        package init(repaired: String) { self.repaired = repaired }
    }

    /// Those after the program's name. Swift repairs bytes that are not UTF-8, and a repaired name is another file's, so
    /// such an argument is an error.
    package static func read(
        _ count: Int32 = CommandLine.argc,
        _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = CommandLine.unsafeArgv
    ) throws(NotUTF8) -> [String] {
        var arguments: [String] = []
        for index in 1..<max(1, Int(count)) {
            guard let pointer = pointers[index] else { break }
            guard let argument = String(validatingCString: pointer) else {
                throw NotUTF8(repaired: String(cString: pointer))
            }
            arguments.append(argument)
        }
        return arguments
    }
}
