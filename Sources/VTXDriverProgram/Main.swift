import Glibc
import VTXMedia
import VTXProbe
import VTXSystem
import VTXTask
import VTXWorker

/// `vtx-driver`: asks one driver what it can do, and takes its crash.
@main
enum Main {
    static func main() {
        // The owner hears the user's signals.
        Signals.ignore([SIGINT, SIGTERM, SIGHUP, SIGPIPE])
        WorkerChannel.inherited.serveOnOneThread { order, channel throws(TranscodeError) in
            guard case .askDriver(let node) = order.task else {
                throw TranscodeError(.internal, "this process asks drivers and does nothing else")
            }
            NodeProbe.ask(node) { answer in
                channel.send(.answer(.driver(answer)))
                // The kernel closes the driver too, and faster; some crash while they are closed.
                _exit(0)
            }
            return .done
        }
    }
}
