import Glibc
import Testing
import VTXSystem
import VTXTestHTTP

@testable import VTXService

@Suite("A server of live playlists: its files")
struct LiveFileTests {
    private let live: TestLive

    init() throws { live = try TestLive() }

    @Test(
        "each file has its type",
        arguments: [
            ("out.m3u8", "application/vnd.apple.mpegurl"), ("out-1.m4s", "video/iso.segment"),
            ("out-1.mp4", "video/mp4"), ("a.ts", "video/mp2t"), ("a.VTT", "text/vtt"), ("a b.jpg", "image/jpeg"),
            ("a.html", "text/html; charset=utf-8"), ("below/a.js", "text/javascript; charset=utf-8"),
        ])
    func types(name: String, type: String) throws {
        _ = live.directory.makeDirectory("below")
        try live.directory.write("content", to: name)
        let answer = try live.get("/" + name.replacing(" ", with: "%20"))
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\ncontent"))
        #expect(answer.contains("\r\nContent-Type: \(type)\r\n"))
    }

    @Test(
        "on loopback only pages of this host may read, by no other name",
        arguments: [
            ("http://localhost:3000", true), ("http://127.0.0.1", true), ("http://[::1]:80", true),
            ("https://evil.example", false), ("http://localhost.evil.example", false), ("null", false),
        ])
    func origins(origin: String, isAllowed: Bool) throws {
        try live.directory.write("content", to: "out.m3u8")
        let answer = try live.ask("GET /out.m3u8", "Origin: \(origin)\n")
        #expect(answer.contains("\r\nAccess-Control-Allow-Origin: \(origin)\r\n") == isAllowed)
        #expect(answer.contains("\r\nVary: Origin\r\n"))
        let refused = try live.ask("GET /none.m4s", "Origin: \(origin)\n")
        #expect(refused.contains("Access-Control-Allow-Origin") == isAllowed)
        #expect(try live.ask("GET /out.m3u8", host: "evil.example").contains("host.unknown"))
        #expect(try live.ask("GET /out.m3u8", host: "127.0.0.1:8080").contains("200 OK"))
    }

    @Test("segments may be cached, what may still change is checked each time")
    func caching() throws {
        for name in ["out.m3u8", "a.m4s", "a.mp4"] { try live.directory.write("content", to: name) }
        #expect(try live.get("/a.m4s").contains("\r\nCache-Control: max-age=3600\r\n"))
        for name in ["out.m3u8", "a.mp4", "none.m4s"] {
            #expect(try live.get("/\(name)").contains("\r\nCache-Control: no-cache\r\n"))
        }
    }

    @Test("GET and HEAD, ranges and conditions are answered, other methods are refused")
    func methods() throws {
        try live.directory.write("0123456789", to: "a.m4s")
        let head = try live.ask("HEAD /a.m4s")
        #expect(head.contains("200 OK") && head.contains("Content-Length: 10\r\n") && head.hasSuffix("\r\n\r\n"))
        let part = try live.ask("GET /a.m4s", "Range: bytes=2-4\n")
        #expect(part.contains("206") && part.contains("Content-Range: bytes 2-4/10") && part.hasSuffix("\r\n\r\n234"))
        #expect(try live.ask("GET /a.m4s", "Range: bytes=20-\n").contains("416"))
        let tag = try #require(head.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }).dropFirst(6)
        #expect(try live.ask("GET /a.m4s", "If-None-Match: \(tag)\n").contains("304"))
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            let answer = try live.ask("\(method) /a.m4s")
            #expect(answer.contains("405") && answer.contains("Allow: GET, HEAD") && answer.contains("request.method"))
        }
    }

    @Test(
        "nothing else is served",
        arguments: [
            "/", "/none.m4s", "/below", "/below/", "/.hidden.m4s", "/.out.m3u8.vtx-partial", "/key.pem",
            "/below/.a.m4s", "/../secret.m4s", "/below/../../secret.m4s", "/%2e%2e/secret.m4s", "/..%2fsecret.m4s",
            "//a.m4s", "/link.m4s", "/pipe.m4s", "/directory.m4s", "/a.m4s/", "/a.m4s%00", "/%zz.m4s",
        ])
    func others(path: String) throws {
        let names = ["a.m4s", ".hidden.m4s", ".out.m3u8.vtx-partial", "key.pem", "below/.a.m4s", "../secret.m4s"]
        for name in ["below", "directory.m4s"] { _ = live.directory.makeDirectory(name) }
        for name in names { try live.directory.write("content", to: name) }
        symlink("../secret.m4s", live.directory.file("link.m4s"))
        mkfifo(live.directory.file("pipe.m4s"), 0o600)
        let answer = try live.get(path)
        #expect(answer.contains(path.contains("%zz") || path.contains("%00") ? " 400 " : " 404 "))
        #expect(!answer.hasSuffix("content"))
    }

    @Test("a directory's page is index.html, if there is one")
    func index() throws {
        #expect(try live.get("/").contains("404"))
        try live.directory.write("page", to: "index.html")
        #expect(try live.get("/").hasSuffix("\r\n\r\npage"))
        #expect(try live.get("/?a=b").hasSuffix("\r\n\r\npage"))
    }

    @Test("multivariant playlists and ended ones are sent as they are")
    func playlists() throws {
        let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nout.m3u8\n"
        let ended = TestLive.playlist(100, segments: 2, parts: 0) + "#EXT-X-ENDLIST\n"
        try live.directory.write(master, to: "out-master.m3u8")
        try live.directory.write(ended, to: "out.m3u8")
        #expect(try live.get("/out-master.m3u8?_HLS_msn=7").hasSuffix("\r\n\r\n\(master)"))
        #expect(try live.get("/out.m3u8?_HLS_msn=700&_HLS_part=1").hasSuffix("\r\n\r\n\(ended)"))
    }

    @Test("a directory that does not exist is an error at the start")
    func missing() throws {
        let address = try #require(ListenAddress("127.0.0.1:0"))
        let error = #expect(throws: Problem.self) { try LiveServer(live.directory.file("none"), address) }
        #expect(error?.code == "directory.unusable")
    }
}

@Suite("A server of live playlists: blocking requests")
struct LiveBlockingTests {
    private let live: TestLive

    init() throws { live = try TestLive() }

    @Test("a request waits until the playlist has the part, and says that it may")
    func part() throws {
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        let now = try live.get("/out.m3u8?_HLS_msn=102&_HLS_part=0")
        #expect(now.contains("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.50000\n"))
        let waiting = try live.begin("/out.m3u8?_HLS_msn=102&_HLS_part=1")
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 2))
        #expect(waiting.readToEnd().contains("URI=\"out-102.1.m4s\"\n"))
    }

    @Test("a request for a segment waits until it is complete")
    func segment() throws {
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        let waiting = try live.begin("/out.m3u8?_HLS_msn=102")
        // The change that is not enough is looked at first.
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 3))
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 3, parts: 0))
        #expect(waiting.readToEnd().contains("\nout-102.m4s\n"))
    }

    @Test("the end of the playlist answers all requests, as does its replacement by a later recording")
    func ends() throws {
        let ended = TestLive.playlist(100, segments: 2, parts: 0) + "#EXT-X-ENDLIST\n"
        for text in [ended, TestLive.playlist(900, segments: 1, parts: 0)] {
            try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
            let waiting = try live.begin("/out.m3u8?_HLS_msn=103")
            try live.replace("out.m3u8", text)
            #expect(waiting.readToEnd().contains("200 OK"))
        }
    }

    @Test("a change answers hundreds of players")
    func many() throws {
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        let players = try (0..<300).map { _ in try live.begin("/out.m3u8?_HLS_msn=102&_HLS_part=1", waits: false) }
        live.wait(for: 300)
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 2))
        #expect(players.allSatisfy { $0.readToEnd().contains("out-102.1.m4s") })
        #expect(live.server.waitingCount == 0)
    }

    @Test(
        "what no player should ask is an error at once",
        arguments: [
            ("_HLS_part=0", "playlist.position"), ("_HLS_msn=a", "playlist.position"),
            ("_HLS_msn=-1", "playlist.position"), ("_HLS_msn=", "playlist.position"),
            ("_HLS_msn=102&_HLS_msn=102", "playlist.position"),
            ("_HLS_msn=99999999999999999999", "playlist.position"), ("_HLS_msn=104", "playlist.tooFar"),
            ("_HLS_msn=102&_HLS_part=7", "playlist.tooFar"), ("_HLS_msn=%zz", "request.invalid"),
        ])
    func errors(query: String, code: String) throws {
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        let answer = try live.get("/out.m3u8?\(query)")
        #expect(answer.contains(" 400 ") && answer.contains("\"code\":\"\(code)\""))
    }

    @Test("directives that the server does not offer are ignored")
    func ignored() throws {
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        #expect(try live.get("/out.m3u8?_HLS_skip=YES&token=1").contains("out-100.m4s"))
    }

    @Test("a playlist that does not grow in time is 503, a part that does not come is 404")
    func late() throws {
        let brief = try TestLive(targetDurations: 0.2)
        try brief.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        let playlist = try brief.begin("/out.m3u8?_HLS_msn=102&_HLS_part=1")
        let part = try brief.begin("/out-102.1.m4s", waits: false)
        #expect(playlist.readToEnd().contains("playlist.late"))
        #expect(part.readToEnd().contains("404"))
    }

    @Test("the part that the playlist hints at is waited for, no other one")
    func hint() throws {
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        #expect(try live.get("/out.m3u8").hasSuffix("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"out-102.1.m4s\"\n"))
        let waiting = try live.begin("/out-102.1.m4s")
        #expect(try live.get("/out-102.2.m4s").contains("404"))
        try live.replace("out-102.1.m4s", "part")
        #expect(waiting.readToEnd().hasSuffix("\r\n\r\npart"))
    }

    @Test("a part that is no longer hinted at is 404")
    func brokenHint() throws {
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        _ = try live.get("/out.m3u8")
        let waiting = try live.begin("/out-102.1.m4s")
        try live.replace("out.m3u8", TestLive.playlist(900, segments: 1, parts: 1))
        #expect(waiting.readToEnd().contains("404"))
    }

    @Test("a playlist in a directory below is waited for as well")
    func below() throws {
        _ = live.directory.makeDirectory("below")
        try live.replace("below/out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        let waiting = try live.begin("/below/out.m3u8?_HLS_msn=102&_HLS_part=1")
        try live.replace("below/out.m3u8", TestLive.playlist(100, segments: 2, parts: 2))
        #expect(waiting.readToEnd().contains("out-102.1.m4s"))
    }

    @Test("a removed playlist is 404, and so is a removed directory, until it is there again")
    func removed() throws {
        for isDirectory in [false, true] {
            try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
            let waiting = try live.begin("/out.m3u8?_HLS_msn=103")
            if isDirectory { Directory.removeTree(live.directory.path) }
            unlink(live.directory.file("out.m3u8"))
            #expect(waiting.readToEnd().contains("404"))
        }
        mkdir(live.directory.path, 0o700)
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        let waiting = try live.begin("/out.m3u8?_HLS_msn=102&_HLS_part=1")
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 2))
        #expect(waiting.readToEnd().contains("out-102.1.m4s"))
    }

    @Test("a stop answers the requests that wait")
    func stop() throws {
        try live.replace("out.m3u8", TestLive.playlist(100, segments: 2, parts: 1))
        let waiting = try (0..<4).map { _ in try live.begin("/out.m3u8?_HLS_msn=103", waits: false) }
        live.wait(for: 4)
        live.server.stop()
        #expect(waiting.allSatisfy { $0.readToEnd().contains("503") })
    }
}
