import Testing
import VTXHTTP
import VTXJSON
import VTXSystem

@testable import VTXService

@Suite("Clients' certificates")
struct CertificateTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func service() throws -> TestService {
        try TestService(directory) {
            $0.tls = .init(
                certificate: TLSTests.certificate, key: TLSTests.key, clientAuthorities: Self.authority)
        }
    }

    /// - Parameter certificate: with its key.
    private func status(_ service: TestService, _ path: String, _ certificate: String?) throws -> Int {
        var request = HTTPClient.Request("GET", "https://localhost:\(service.service.port)\(path)")
        request.authorities = try directory.write(TLSTests.certificate, to: "authority.pem")
        if let certificate {
            let file = try directory.write(certificate, to: "client.pem")
            request.certificate = (file, file)
        }
        return try HTTPClient().send(request).status
    }

    @Test("only one of a known authority opens the API, even on this host")
    func known() throws {
        let service = try service()
        #expect(try status(service, "/v1/jobs", Self.client) == 200)
        #expect(try status(service, "/v1/tokens", Self.client) == 200)
        #expect(try status(service, "/v1/jobs", nil) == 401)
        #expect(try status(service, "/healthz", nil) == 200)
        #expect(try status(service, "/v1/jobs", "\(TLSTests.certificate)\n\(TLSTests.key)") == 401)
        #expect(try status(service, "/v1/jobs", Self.server) == 401, "one for servers, of the same authority")
    }

    @Test("a public service with client certificates needs no token")
    func otherHosts() throws {
        let open: (inout Service.Settings) -> Void = { $0.listen = ListenAddress("0.0.0.0:0")! }
        #expect { _ = try TestService(directory, open) } throws: { ($0 as? Problem)?.code == "token.missing" }
        _ = try TestService(try TestDirectory()) {
            open(&$0)
            $0.tls = .init(certificate: TLSTests.certificate, key: TLSTests.key, clientAuthorities: Self.authority)
        }
    }

    @Test("invalid authorities are an error at the start")
    func noAuthority() throws {
        #expect {
            _ = try TestService(directory) {
                $0.tls = .init(certificate: TLSTests.certificate, key: TLSTests.key, clientAuthorities: "none")
            }
        } throws: { ($0 as? Problem)?.code == "tls.authorities" }
    }
}

// Made by openssl, valid for a hundred years; for tests only.
extension CertificateTests {
    private static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBfDCCASGgAwIBAgIUfgWI2oFfcUlZgiZKKyhatp3fkxwwCgYIKoZIzj0EAwIw
        EjEQMA4GA1UEAwwHY2xpZW50czAgFw0yNjExMjYwMjMzNDNaGA8yMTI2MTEwMjAy
        MzM0M1owEjEQMA4GA1UEAwwHY2xpZW50czBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABKCm1gP2cDXwnZivb+aJE6wuUf/GSVNz2x5sgcBiOxdxaNrDf/F/4fSliXnz
        5XcjlyUJNTdfxThVsoqdhmYnpi6jUzBRMB0GA1UdDgQWBBR0w8kV+Y4xwJ2gBKTI
        13XO+BJUBzAfBgNVHSMEGDAWgBR0w8kV+Y4xwJ2gBKTI13XO+BJUBzAPBgNVHRMB
        Af8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQCXf2qbDm5JSiEsrEqeHh7nOPjh
        DB85kXRBt5K+690LzAIhAMphfCXkaLSynBfxFmGQrpBchNMEA345ESb5JyxJI78N
        -----END CERTIFICATE-----
        """

    /// Of the authority, with the purpose of clients.
    private static let client = """
        -----BEGIN CERTIFICATE-----
        MIIBfjCCASSgAwIBAgIUPrTxmksJpqInQqCzu46kP62MeWgwCgYIKoZIzj0EAwIw
        EjEQMA4GA1UEAwwHY2xpZW50czAgFw0yNjExMjYwMjMzNDNaGA8yMTI2MTEwMjAy
        MzM0M1owETEPMA0GA1UEAwwGZWRpdG9yMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
        QgAEC/yHYPtB3wVvJvbaFYuLHRiUNQZWfwsIhm25v/e0+5B1z05lo7vWYSRFF3Iq
        NVWglyTNOb2XteqOgo6mSUHnraNXMFUwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYD
        VR0OBBYEFNTqbTT3fP7Wt33/InVlR1xo2dS2MB8GA1UdIwQYMBaAFHTDyRX5jjHA
        naAEpMjXdc74ElQHMAoGCCqGSM49BAMCA0gAMEUCIQCHJwSBrk8qCzz6Gn/VE9Bg
        EEjDoTgn8atVwGGP+Ykw8AIgYfWmjX0StRJ92QqRawvKaCWRXyqCgr3AZTs3Nd3e
        c7A=
        -----END CERTIFICATE-----
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7XqvIFuaoH8RipyR
        nlc7AiZKVpOK+Vf7CtFhpPJ7QKahRANCAAQL/Idg+0HfBW8m9toVi4sdGJQ1BlZ/
        CwiGbbm/97T7kHXPTmWju9ZhJEUXcio1VaCXJM05vZe16o6CjqZJQeet
        -----END PRIVATE KEY-----
        """

    /// Of the authority, with the purpose of servers.
    private static let server = """
        -----BEGIN CERTIFICATE-----
        MIIBfzCCASWgAwIBAgIUPrTxmksJpqInQqCzu46kP62MeWkwCgYIKoZIzj0EAwIw
        EjEQMA4GA1UEAwwHY2xpZW50czAgFw0yNjExMjYwMjMzNDNaGA8yMTI2MTEwMjAy
        MzM0M1owEjEQMA4GA1UEAwwHbWFjaGluZTBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABPj069HwmwzmafvQn7VjVBZKieanRM49j5d/bOYmVDJorCkxlBy/zG1sWhT2
        Zn4L3mIRzNkSaD72eWQSFAahU1GjVzBVMBMGA1UdJQQMMAoGCCsGAQUFBwMBMB0G
        A1UdDgQWBBR8X08uONQ1JGwXBDdPO4sqmpFW5zAfBgNVHSMEGDAWgBR0w8kV+Y4x
        wJ2gBKTI13XO+BJUBzAKBggqhkjOPQQDAgNIADBFAiEA+qLqHZzUrd4dPleUHXF5
        j2QnvbrDayhKKrXHZH9r4RICIH65ZOHuKVuY2hTnwRPKUagD/7Xf3wOKFBPTSmhQ
        FTdi
        -----END CERTIFICATE-----
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5oj/tRXkVeiJ+lhp
        fkC3/IfOnzuqZsbwZl6nwLMZDbWhRANCAAT49OvR8JsM5mn70J+1Y1QWSonmp0TO
        PY+Xf2zmJlQyaKwpMZQcv8xtbFoU9mZ+C95iEczZEmg+9nlkEhQGoVNR
        -----END PRIVATE KEY-----
        """
}
