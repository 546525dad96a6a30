import VTXTranscode

/// Something the user should know.
struct NoticeRecord: Record {
    let type = "notice"
    let kind: String
    let code: String
    let message: String

    init(_ notice: Notice) {
        kind = notice.kind.rawValue
        code = notice.code
        message = notice.message
    }
}
