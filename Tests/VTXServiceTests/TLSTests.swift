import Testing
import VTXHTTP
import VTXSystem

@testable import VTXService

@Suite("TLS")
struct TLSTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    /// Made by openssl for `localhost`, valid for a hundred years; for tests only.
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBnDCCAUGgAwIBAgIUcUxO3rjj/Er7uchmBz9/PrTVtwEwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjE5MzIzNVoYDzIxMjYxMDI5
        MTkzMjM1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAQQlZ3PnNLOMzoI0zELrf/5t4sdQEabRFq6qp5QtNtSMp55M55ySAaF
        Q4W8j+9DcPqz7fXrjjSQirz6Kbcn4fyEo28wbTAdBgNVHQ4EFgQUm5frXgWbssgV
        qekBiTmxBp7Ly9gwHwYDVR0jBBgwFoAUm5frXgWbssgVqekBiTmxBp7Ly9gwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDSQAwRgIhANZa//9tTXhslZUO2iG2Mf3luuCqcVQRa1kZJVqKrRzuAiEA
        qQkUHG5wfnek+CZH6UsfaiQXlnxw7ihB1saN/OqrmUQ=
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7IsoAJEoT8w5LNTt
        MsuhsbHQtwPBv1r6p/pZSiQWPBuhRANCAAQQlZ3PnNLOMzoI0zELrf/5t4sdQEab
        RFq6qp5QtNtSMp55M55ySAaFQ4W8j+9DcPqz7fXrjjSQirz6Kbcn4fyE
        -----END PRIVATE KEY-----
        """

    private func service() throws -> TestService {
        try TestService(directory) {
            $0.tls = .init(certificate: Self.certificate, key: Self.key, clientAuthorities: nil)
        }
    }

    private func request(_ service: TestService, _ scheme: String) throws -> HTTPClient.Request {
        var request = HTTPClient.Request("GET", "\(scheme)://localhost:\(service.service.port)/healthz")
        request.authorities = try directory.write(Self.certificate, to: "authority.pem")
        return request
    }

    @Test("a client that trusts the certificate gets a response; others disconnect, and plain HTTP is not supported")
    func encrypted() throws {
        let service = try service()
        let client = HTTPClient()
        var request = try request(service, "https")
        #expect(try client.send(request).status == 200)
        request.authorities = nil
        #expect(throws: HTTPClientError.self) { try client.send(request) }
        #expect(throws: HTTPClientError.self) { try client.send(try self.request(service, "http")) }
    }

    @Test("a certificate without its key is an error at the start")
    func wrongKey() throws {
        #expect {
            _ = try TestService(directory) {
                $0.tls = .init(certificate: Self.certificate, key: "no key", clientAuthorities: nil)
            }
        } throws: { ($0 as? Problem)?.code == "tls.certificate" }
    }
}
