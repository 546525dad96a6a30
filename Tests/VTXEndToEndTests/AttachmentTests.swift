import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Cover art and attached files")
struct AttachmentTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("cover art is kept", arguments: ["mp4", "mkv"], ["mp4", "mkv"])
    func coverArt(from: String, to: String) throws {
        let (input, output) = (directory.file("in.\(from)"), directory.file("out.\(to)"))
        try writeFilmWithCover(to: input)
        let run = try Run.transcode(input, to: output)
        let file = try MediaFile(output)
        let cover = try #require(file.streams.first { $0.isCoverArt }, "\(run.notices)")
        #expect(cover.parameters.codecName == "png")
        #expect(file.packets[cover.index].map(\.bytes) == [try CoverArt.bytes()])
        #expect(file.streams(.video).count == 1 && file.packets(.video).count == 25)
    }

    @Test("cover art that QuickTime does not support is reported as lost")
    func noCoverArt() throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.mov"))
        try writeFilmWithCover(to: input)
        let run = try Run.transcode(input, to: output)
        #expect(run.messages("downgrade.stream").count == 1)
        #expect(try MediaFile(output).streams.count == 1)
    }

    private func writeFilmWithCover(to path: String) throws {
        guard path.hasSuffix("mkv") else {
            return try MovieRecipe(VideoRecipe()) { $0.hasCoverArt = true }.write(to: path)
        }
        let plain = directory.file("plain.mkv")
        try MovieRecipe(VideoRecipe()).write(to: plain)
        try ExtraStream.file(try CoverArt.bytes(), named: "cover.png", mimeType: "image/png").add(to: plain, as: path)
    }

    @Test(
        "an attached font is kept in Matroska, and its loss elsewhere is reported", arguments: ["mkv", "mp4"])
    func fonts(pathExtension: String) throws {
        let (plain, input) = (directory.file("plain.mkv"), directory.file("in.mkv"))
        let output = directory.file("out.\(pathExtension)")
        try MovieRecipe(VideoRecipe()).write(to: plain)
        try ExtraStream.file(Array("a font".utf8), named: "f.ttf", mimeType: "font/ttf").add(to: plain, as: input)
        let run = try Run.transcode(input, to: output)
        let fonts = try MediaFile(output).streams.filter { $0.kind == .attachment }
        if pathExtension == "mkv" {
            #expect(fonts.map(\.parameters.extradata) == [Array("a font".utf8)])
            #expect(
                fonts.first?.metadata["filename"] == "f.ttf"
                    && fonts.first?.metadata["mimetype"] == "font/ttf")
        } else {
            let message = try #require(run.messages("downgrade.stream").first)
            #expect(fonts.isEmpty && message.contains("Matroska would keep it"))
        }
    }
}
