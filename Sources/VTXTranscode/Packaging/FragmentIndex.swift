import VTXMedia
import VTXSystem
import VTXTask

/// The byte ranges and times of the fragments of a single-track file (ISO/IEC 14496-12, 8.8: `moof`).
struct FragmentIndex: Sendable, Hashable {
    struct Fragment: Sendable, Hashable {
        /// The byte range in the file.
        var bytes: Range<Int64>
        /// The end of the first sample, as an offset in the file.
        var firstSampleEnd: Int64
        /// The presentation time of the first sample, in ticks.
        var start: Int64
        /// The sum of all samples' durations, in ticks.
        var duration: Int64
    }

    /// Ticks per second.
    var timescale: Int64
    /// The range before the fragments: `ftyp` and `moov`.
    var header: Range<Int64>
    var fragments: [Fragment] = []

    /// Returns the start of a fragment, in seconds.
    func start(of fragment: Int) -> Double { Double(fragments[fragment].start) / Double(timescale) }

    /// The end of the last fragment, in seconds.
    var end: Double { fragments.last.map { Double($0.start + $0.duration) / Double(timescale) } ?? 0 }
}

extension FragmentIndex {
    /// Reads a file.
    ///
    /// - Throws: `verification.unreadable` for a file that is not fragmented with a single track.
    init(reading path: String) throws(TranscodeError) {
        do throws(SystemError) {
            let boxes = try MovieBoxes(reading: path)
            guard let index = Self(boxes) else { throw SystemError("read '\(path)'", 0) }
            self = index
        } catch {
            throw .check(.verificationUnreadable, "its fragments cannot be read")
        }
    }

    private init?(_ boxes: borrowing MovieBoxes) {
        let top = boxes.topLevel
        guard boxes.brokenBox == nil, let movie = top.first(where: { $0.type == "moov" }),
            let media = boxes.all("trak/mdia/mdhd", in: movie).first.flatMap({ FullBox($0, boxes) }),
            let general = boxes.all("mvhd", in: movie).first.flatMap({ FullBox($0, boxes) }),
            let timescale = media.number(4, at: media.version == 1 ? 16 : 8), timescale > 0,
            let movieTimescale = general.number(4, at: general.version == 1 ? 16 : 8), movieTimescale > 0
        else { return nil }
        self.init(timescale: timescale, header: 0..<movie.body.upperBound)
        let edits = boxes.all("trak/edts/elst", in: movie).first.flatMap { FullBox($0, boxes) }
        let shift = edits?.editShift(timescale, movieTimescale) ?? 0
        for (head, data) in zip(top, top.dropFirst()) where head.type == "moof" {
            guard data.type == "mdat", let fragment = Fragment(head, data, boxes, shift) else { return nil }
            fragments.append(fragment)
        }
    }
}

extension FragmentIndex.Fragment {
    fileprivate init?(
        _ head: MovieBoxes.Box, _ data: MovieBoxes.Box, _ boxes: borrowing MovieBoxes, _ shift: Int64
    ) {
        guard let track = boxes.all("traf/tfhd", in: head).first.flatMap({ FullBox($0, boxes) }),
            let time = boxes.all("traf/tfdt", in: head).first.flatMap({ FullBox($0, boxes) }),
            let decoded = time.number(time.version == 1 ? 8 : 4, at: 0)
        else { return nil }
        let standard = SampleDefaults(track)
        let runs = boxes.all("traf/trun", in: head).compactMap { FullBox($0, boxes).map { SampleRun($0, standard) } }
        guard let first = runs.first, first.count > 0 else { return nil }
        bytes = head.offset..<data.body.upperBound
        firstSampleEnd = data.body.lowerBound + first.firstSize
        start = decoded + first.firstOffset + shift
        duration = runs.reduce(0) { $0 + $1.duration }
    }
}

/// The default values of a track fragment for its samples (`tfhd`).
private struct SampleDefaults {
    var duration: Int64 = 0
    var size: Int64 = 0

    init(_ box: FullBox) {
        // After the track's number: base_data_offset and sample_description_index, where they are.
        var place = 4
        if box.flags & 0x1 != 0 { place += 8 }
        if box.flags & 0x2 != 0 { place += 4 }
        if box.flags & 0x8 != 0 {
            duration = box.number(4, at: place) ?? 0
            place += 4
        }
        if box.flags & 0x10 != 0 { size = box.number(4, at: place) ?? 0 }
    }
}

/// A run of samples (`trun`).
private struct SampleRun {
    var count: Int
    var duration: Int64 = 0
    var firstSize: Int64
    /// The time from decoding to display of the first sample.
    var firstOffset: Int64 = 0

    init(_ box: FullBox, _ standard: SampleDefaults) {
        count = Int(box.number(4, at: 0) ?? 0)
        let head = 4 + (box.flags & 0x1 != 0 ? 4 : 0) + (box.flags & 0x4 != 0 ? 4 : 0)
        let fields = [0x100, 0x200, 0x400, 0x800].map { box.flags & $0 != 0 }
        let length = 4 * fields.count { $0 }
        func place(_ field: Int) -> Int { head + 4 * fields[..<field].count { $0 } }
        firstSize = fields[1] ? box.number(4, at: place(1)) ?? 0 : standard.size
        if fields[3] { firstOffset = Int64(Int32(truncatingIfNeeded: box.number(4, at: place(3)) ?? 0)) }
        duration = Int64(count) * standard.duration
        guard fields[0] else { return }
        duration = (0..<count).reduce(0) { $0 + (box.number(4, at: head + $1 * length) ?? 0) }
    }
}

/// The parsed part of a box with a version and flags (ISO/IEC 14496-12, 4.2).
private struct FullBox {
    let version: UInt8
    let flags: Int
    /// The contents after the flags.
    private let content: [UInt8]
    private static let limit: Int64 = 1 << 24

    init?(_ box: MovieBoxes.Box, _ boxes: borrowing MovieBoxes) {
        let length = box.body.upperBound - box.body.lowerBound
        guard (4...Self.limit).contains(length), let bytes = boxes.bytes(Int(length), at: box.body.lowerBound) else {
            return nil
        }
        version = bytes[0]
        flags = bytes[1..<4].reduce(0) { $0 << 8 | Int($1) }
        content = Array(bytes[4...])
    }

    /// Returns a big-endian number; nil if the box is too short.
    func number(_ byteCount: Int, at offset: Int) -> Int64? {
        guard offset + byteCount <= content.count else { return nil }
        return content[offset..<offset + byteCount].reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Returns the offset that an edit list adds to the media's times. An empty edit delays; the first other one hides
    /// what precedes it.
    func editShift(_ timescale: Int64, _ movieTimescale: Int64) -> Int64 {
        let (width, entry) = version == 1 ? (8, 20) : (4, 12)
        var delay: Int64 = 0
        for index in 0..<Int(number(4, at: 0) ?? 0) {
            guard let length = number(width, at: 4 + index * entry),
                let raw = number(width, at: 4 + index * entry + width)
            else { break }
            let time = version == 1 ? raw : Int64(Int32(truncatingIfNeeded: raw))
            if time >= 0 { return delay - time }
            delay += length * timescale / movieTimescale
        }
        return delay
    }
}
