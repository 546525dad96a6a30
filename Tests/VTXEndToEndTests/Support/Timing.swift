import Testing
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

/// Expects that two lists of seconds are equal, each to within `tolerance`.
func expectSame(
    _ found: [Double], _ wanted: [Double], within tolerance: Double, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(found.count == wanted.count, comment, sourceLocation: sourceLocation)
    let worst = zip(found, wanted).map { abs($0.0 - $0.1) }.max() ?? 0
    #expect(worst <= tolerance, comment, sourceLocation: sourceLocation)
}

/// Half a tick of a container, plus floating-point rounding.
func halfTick(of file: MediaFile) -> Double { (file.video?.timeBase.value ?? 0) / 2 + 1e-9 }
