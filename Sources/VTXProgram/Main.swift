import VTXCommand

/// `vtx`.
@main
enum Main {
    static func main() { EntryPoint.main() }
}
