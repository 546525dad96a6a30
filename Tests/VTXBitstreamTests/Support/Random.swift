import VTXTestMedia

extension SeededRandom {
    /// Bytes that are often 0, 1 or 3, the values of start codes and emulation prevention.
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            let common: [UInt8] = [0, 0, 0, 1, 3]
            return Bool.random(using: &self)
                ? common[Int.random(in: 0..<5, using: &self)] : .random(in: 0...255, using: &self)
        }
    }
}
