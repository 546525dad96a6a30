import Glibc
import Testing
import VTXJSON
import VTXJobs

@testable import VTXService

@Suite("Settings of a job")
struct JobSettingsTests {
    @Test(
        "an invalid value is a problem",
        arguments: [
            (["codec": "vp9"], "/codec"), (["quality": 101], "/quality"),
            (["keyFrameInterval": ""], "/keyFrameInterval"),
            (["fast": true], "/fast"), (["bFrames": "no"], "/bFrames"),
        ] as [(JSONValue, String)])
    func problems(settings: JSONValue, pointer: String) {
        #expect(Schema.settings.problems(with: settings).map(\.pointer) == [pointer])
    }

    @Test("the messages are the catalogue's, with the nearest name")
    func words() {
        let problems = Schema.settings.problems(with: ["quality": 101, "hardwre": "off"], at: "/settings")
        #expect(
            problems.map { "\($0.pointer): \($0.message)" } == [
                "/settings/hardwre: there is no option 'hardwre'; did you mean 'hardware'?",
                "/settings/quality: quality: '101' is not allowed; expected a number from 0 to 100, such as 70",
            ])
    }

    @Test("conflicting settings are a problem of all of them")
    func contradiction() {
        let problems = Schema.settings.problems(with: ["quality": 70, "bitrate": 5_000_000], at: "/settings")
        #expect(problems.map(\.pointer) == ["/settings"])
        #expect(problems.first?.message == "quality and bitrate cannot be used together")
    }
}

@Suite("Parts of a file")
struct RangeTests {
    @Test(
        "a range follows RFC 9110",
        arguments: [
            ("bytes=0-9", 0..<10), ("bytes=90-", 90..<100), ("bytes=-10", 90..<100), ("bytes=50-500", 50..<100),
            ("bytes=100-", 0..<0), ("bytes=5-4", nil), ("bytes=0-1,3-4", nil), ("items=0-1", nil), ("bytes=a-b", nil),
            ("bytes=-", nil), ("bytes=-500", 0..<100),
        ] as [(String, Range<Int64>?)])
    func ranges(text: String, expected: Range<Int64>?) { #expect(FileResponse.bytes(text, of: 100) == expected) }
}

@Suite("Below the roots")
struct RootsTests {
    private let directory: TestDirectory
    private let roots: Roots

    init() throws {
        directory = try TestDirectory()
        roots = try Roots([directory.makeDirectory("media")])
        try directory.write("clip", to: "media/clip")
        try directory.write("secret", to: "secret")
    }

    @Test("a source is a file below a root")
    func inside() throws {
        #expect(try roots.source(directory.file("media/./clip")).realPath() == directory.file("media/clip"))
    }

    @Test(
        "a path outside the roots is refused, in any form",
        arguments: [
            ("secret", 403), ("media/../secret", 403), ("media/link", 403), ("media", 422), ("media/none", 422),
            ("media2", 403),
        ])
    func outside(name: String, status: Int) throws {
        #expect(symlink("../secret", directory.file("media/link")) == 0)
        #expect { _ = try roots.source(directory.file(name)) } throws: { ($0 as? Problem)?.status == status }
    }
}

@Suite("The OpenAPI document")
struct OpenAPITests {
    @Test("every reference has a schema, and every operation has a unique name")
    func references() throws {
        let directory = try TestDirectory()
        let service = try TestService(directory)
        let document = try service.ask("GET", "/openapi.json").body
        let schemas = Set((document["components"]?["schemas"]?.object ?? [:]).keys)
        let references = Self.references(document)
        #expect(!references.isEmpty)
        #expect(references.subtracting(schemas.map { "#/components/schemas/\($0)" }).isEmpty)
        let operations = (document["paths"]?.object ?? [:]).values.flatMap { ($0.object ?? [:]).values }
        let names = operations.compactMap { $0["operationId"]?.string }
        #expect(names.count == operations.count)
        #expect(Set(names).count == names.count)
    }

    private static func references(_ value: JSONValue) -> Set<String> {
        switch value {
        case .object(let members):
            members.reduce(into: []) { all, member in
                if member.key == "$ref", let text = member.value.string { all.insert(text) }
                all.formUnion(references(member.value))
            }
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(references($1)) }
        default: []
        }
    }
}
