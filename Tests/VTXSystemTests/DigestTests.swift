import Testing
import VTXSystem

@Suite("Digests")
struct DigestTests {
    private static let crcCases: [([UInt8], UInt32)] = [
        ([UInt8](repeating: 0, count: 32), 0x8a91_36aa), ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43),
        (Array(0..<32), 0x46dd_794e), (Array("123456789".utf8), 0xe306_9283), ([], 0),
    ]

    @Test("CRC-32C of RFC 3720, B.4", arguments: crcCases)
    func crc32c(bytes: [UInt8], expected: UInt32) {
        #expect(CRC32C(bytes.span.bytes).value == expected)
        var inPieces = CRC32C()
        for byte in bytes { inPieces.add([byte].span.bytes) }
        #expect(inPieces.value == expected)
    }

    @Test(
        "SHA-256 of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, expected: String) { #expect(SHA256.hexadecimal(text.utf8) == expected) }

    @Test("SHA-256 of a million letters in any chunks", arguments: [1, 63, 64, 65, 1000, 1_000_000])
    func sha256InParts(size: Int) {
        let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        var digest = SHA256()
        for start in stride(from: 0, to: letters.count, by: size) {
            digest.add(Array(letters[start..<min(start + size, letters.count)]).span.bytes)
        }
        #expect(
            digest.finish().hexadecimal == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test(
        "HMAC-SHA-256 of RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func hmac(key: [UInt8], message: String, expected: String) {
        let code = HMAC.sha256(message.utf8, key: key)
        #expect(code.hexadecimal == expected)
        #expect(HMAC.areEqual(code, code) && !HMAC.areEqual(code, code.dropLast() + [0]) && !HMAC.areEqual(code, []))
    }
}
