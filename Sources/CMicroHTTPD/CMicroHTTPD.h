// libmicrohttpd, with what Swift does not import: functions with variable arguments.
#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <stdint.h>

struct http_settings {
    /// Listens already; the daemon closes it.
    int listen_socket;
    unsigned connection_limit;
    unsigned address_connection_limit;
    /// Seconds without a byte.
    unsigned idle_timeout;
    /// For the head of a request.
    size_t connection_memory;
    /// PEM; NULL for plain HTTP.
    const char *certificate;
    const char *key;
    /// PEM of the authorities whose clients are known; NULL for none.
    const char *client_authorities;
    /// Of all callbacks.
    void *context;
    void *(*begin)(void *context, const char *uri, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback notified;
};

/// The path and query come through `begin` as they were sent: nothing decodes them before that.
static inline size_t http_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

/// libmicrohttpd's own messages tell of clients that went away.
static inline void http_ignore_log(void *context, const char *format, va_list arguments) {
    (void)context;
    (void)format;
    (void)arguments;
}

static inline struct MHD_Daemon *http_start(const struct http_settings *settings) {
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME |
        MHD_USE_ERROR_LOG | (settings->certificate ? MHD_USE_TLS : 0);
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)settings->certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)settings->key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)"SECURE192:SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {settings->client_authorities ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0,
            (void *)(uintptr_t)settings->client_authorities},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    return MHD_start_daemon(
        flags, 0, NULL, NULL, settings->handle, settings->context, MHD_OPTION_EXTERNAL_LOGGER, http_ignore_log, NULL,
        MHD_OPTION_LISTEN_SOCKET, settings->listen_socket, MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, settings->address_connection_limit, MHD_OPTION_CONNECTION_TIMEOUT,
        settings->idle_timeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK, http_keep_escapes, NULL,
        MHD_OPTION_URI_LOG_CALLBACK, settings->begin, settings->context, MHD_OPTION_NOTIFY_COMPLETED,
        settings->completed, settings->context, MHD_OPTION_NOTIFY_CONNECTION, settings->notified, settings->context,
        MHD_OPTION_ARRAY, settings->certificate ? tls : none, MHD_OPTION_END);
}

/// Whether a certificate and a key, both PEM, belong together.
static inline int http_is_key_pair(
    const char *certificate, unsigned certificate_length, const char *key, unsigned key_length) {
    gnutls_certificate_credentials_t credentials;
    if (gnutls_certificate_allocate_credentials(&credentials) != GNUTLS_E_SUCCESS) return 0;
    gnutls_datum_t first = {(unsigned char *)(uintptr_t)certificate, certificate_length};
    gnutls_datum_t second = {(unsigned char *)(uintptr_t)key, key_length};
    int status = gnutls_certificate_set_x509_key_mem(credentials, &first, &second, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(credentials);
    return status >= 0;
}

/// Whether a text has certificates, all in PEM.
static inline int http_has_certificates(const char *text, unsigned length) {
    gnutls_certificate_credentials_t credentials;
    if (gnutls_certificate_allocate_credentials(&credentials) != GNUTLS_E_SUCCESS) return 0;
    gnutls_datum_t certificates = {(unsigned char *)(uintptr_t)text, length};
    int count = gnutls_certificate_set_x509_trust_mem(credentials, &certificates, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(credentials);
    return count > 0;
}

static inline int http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline const struct sockaddr *http_client_address(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

/// Whether the client showed a certificate of a known authority, one for clients; its subject's common name goes to `name`.
static inline int http_client_certificate(struct MHD_Connection *connection, char *name, size_t size) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    unsigned status = ~0u, count = 0;
    if (!info || !info->tls_session) return 0;
    gnutls_session_t session = (gnutls_session_t)info->tls_session;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
    gnutls_typed_vdata_st purpose = {GNUTLS_DT_KEY_PURPOSE_OID, (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT, 0};
    if (!chain || !count || gnutls_certificate_verify_peers(session, &purpose, 1, &status) != 0 || status != 0) return 0;
    gnutls_x509_crt_t certificate;
    if (gnutls_x509_crt_init(&certificate) != 0) return 0;
    int known = gnutls_x509_crt_import(certificate, &chain[0], GNUTLS_X509_FMT_DER) == 0 &&
        gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &size) == 0;
    gnutls_x509_crt_deinit(certificate);
    return known;
}

#endif
