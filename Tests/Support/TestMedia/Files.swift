import Glibc

/// Whole files as bytes.
package enum Files {
    package static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw SystemError("fopen \(path)") }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        let count = ftell(file)
        rewind(file)
        var bytes = [UInt8](repeating: 0, count: count)
        guard fread(&bytes, 1, count, file) == count else { throw SystemError("fread \(path)") }
        return bytes
    }

    /// Reads a kernel file, whose size is not reported.
    package static func readAll(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw SystemError("fopen \(path)") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    package static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "wb") else { throw SystemError("fopen \(path)") }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw SystemError("fwrite \(path)") }
    }

    package static func write(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path)
    }

    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The first `fraction` of a file.
    package static func truncate(_ path: String, to fraction: Double, as copy: String) throws {
        let bytes = try read(path)
        try write(Array(bytes.prefix(Int(Double(bytes.count) * fraction))), to: copy)
    }

    /// A copy with `count` bits flipped, at positions derived from `seed`, none before `offset`.
    package static func flip(
        _ path: String, bits count: Int, seed: UInt64, from offset: Int = 0, as copy: String
    ) throws {
        var bytes = try read(path)
        var random = SeededRandom(seed)
        for _ in 0..<count {
            bytes[Int.random(in: offset..<bytes.count, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
        }
        try write(bytes, to: copy)
    }
}

/// The same numbers every time (SplitMix64).
package struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
