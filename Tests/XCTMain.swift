// The tests' program. SwiftPM looks for a file of this name; without it, it would need an index of all sources to look
// for tests of XCTest, a third of the work of compiling the tests.
import Testing

@main private struct TestProgram {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
