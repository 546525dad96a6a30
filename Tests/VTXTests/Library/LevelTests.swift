import Testing
import VTX

@Suite("A session's level")
struct LevelTests {
    private static func configuration(_ wanted: ProfileLevel) -> VideoEncoderConfiguration {
        .small(wanted.profile.codec) { ($0.profile, $0.level) = (wanted.profile, wanted.level) }
    }

    @Test(
        "is signaled in the stream",
        arguments: [
            (ProfileLevel(.baseline, 3.1), "3.1"), (ProfileLevel(.h264Main, 4), "4"), (ProfileLevel(.high, 5.2), "5.2"),
            (ProfileLevel(.hevcMain, 4.1), "4.1"), (ProfileLevel(.hevcMain, 6.2), "6.2"),
            (ProfileLevel(.main10, 5), "5"),
        ])
    func stream(wanted: ProfileLevel, expected: String) async throws {
        let pictures = try (0..<6).map { try Pictures.moving($0) }
        for sample in try await Coding.encode(pictures, Self.configuration(wanted)) {
            #expect(sample.formatDescription.levelName == expected)
        }
    }

    @Test("changes with the next frame")
    func change() async throws {
        let session = try CompressionSession(Self.configuration(ProfileLevel(.high, 3)))
        async let levels = session.samples.reduce(into: []) { $0.append($1.formatDescription.levelName) }
        try await session.encode(try Pictures.moving(0), at: .frame(0))
        try session.set(.profileLevel, to: ProfileLevel(.high, 4.2))
        try await session.encode(try Pictures.moving(1), at: .frame(1))
        try await session.flush()
        session.invalidate()
        #expect(try await levels == ["3", "4.2"])
    }

    @Test(
        "that does not exist, or is too low, is refused with the allowed ones",
        arguments: [
            (ProfileLevel(.high, 3.3), "level cannot be 3.3 in H.264; allowed: 1, 1.1, 1.2, "),
            (ProfileLevel(.hevcMain, 1.1), "level cannot be 1.1 in HEVC; allowed: 1, 2, 2.1, "),
            (
                ProfileLevel(.high, 1),
                "level cannot be 1 for 160x96 at 30 frames per second; allowed: 1.1 and above"
            ),
            (
                ProfileLevel(.baseline, 1.3),
                "level cannot be 1.3 at 800000 bits per second; allowed: a bitrate up to 768000"
            ),
        ])
    func refused(wanted: ProfileLevel, message: String) throws {
        let error = #expect(throws: SessionError.self) { try CompressionSession(Self.configuration(wanted)) }
        #expect(error?.code == .badParameter && error?.message.hasPrefix(message) == true, "\(error)")
    }

    @Test("needs a profile, and is the encoder's choice in AV1")
    func without() throws {
        let none = #expect(throws: SessionError.self) { try CompressionSession(.small(.h264) { $0.level = 4 }) }
        #expect(none?.code == .badParameter && none?.message == "level 4 needs a profile; set the profile too")
        let av1 = #expect(throws: SessionError.self) {
            try CompressionSession(Self.configuration(ProfileLevel(.av1Main, 4)))
        }
        #expect(av1?.code == .propertyNotSupported)
    }

    @Test("settings that exceed it are refused, and the session keeps its own")
    func laterChange() throws {
        let session = try CompressionSession(Self.configuration(ProfileLevel(.h264Main, 2)))
        let error = #expect(throws: SessionError.self) { try session.set(.averageBitRate, to: 2_000_001) }
        #expect(error?.code == .badParameter)
        #expect(throws: SessionError.self) { try session.set(.expectedFrameRate, to: 400) }
        #expect(try session.value(of: .averageBitRate) == 800_000)
        try session.set(.averageBitRate, to: 2_000_000)
    }
}
