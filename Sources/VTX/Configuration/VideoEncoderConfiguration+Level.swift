import VTXMedia

extension VideoEncoderConfiguration {
    /// Profile and level in one, as the property has them.
    var profileLevel: ProfileLevel? {
        get { profile.map { ProfileLevel($0, level) } }
        set { (profile, level) = (newValue?.profile, newValue?.level) }
    }

    /// - Throws: `.badParameter` if the level does not exist, or does not allow the size, the frame rate or the bit
    ///   rate; `.propertyNotSupported` for AV1.
    func checkLevel(of codec: VideoCodec) throws(SessionError) {
        guard let level else { return }
        guard codec != .av1 else {
            throw SessionError(.propertyNotSupported, "level cannot be \(level): the encoder chooses the level of AV1")
        }
        guard let profile else {
            throw SessionError(.badParameter, "level \(level) needs a profile; set the profile too")
        }
        let levels = LevelLimits.all(of: profile)
        guard let limits = levels.first(where: { $0.level == level }) else {
            let known = levels.map(\.level.description).joined(separator: ", ")
            throw refusal(of: level, because: "in \(codec)", allowed: known)
        }
        try checkRates(limits, among: levels)
    }

    private func checkRates(_ limits: LevelLimits, among levels: [LevelLimits]) throws(SessionError) {
        guard limits.holds(codedSize, at: fps) else {
            let lowest = levels.first { $0.holds(codedSize, at: fps) }
            throw refusal(
                of: limits.level, because: "for \(codedSize) at \(fps) frames per second",
                allowed: lowest.map { "\($0.level) and above" } ?? "no level")
        }
        guard quality != nil || bitrate <= limits.vbv.bitrate else {
            throw refusal(
                of: limits.level, because: "at \(bitrate) bits per second",
                allowed: "a bitrate up to \(limits.vbv.bitrate)")
        }
    }

    private func refusal(of level: VideoLevel, because reason: String, allowed: String) -> SessionError {
        SessionError(.badParameter, "level cannot be \(level) \(reason); allowed: \(allowed)")
    }
}
