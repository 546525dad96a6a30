import CSQLite
import VTXJobs

/// What a parameter of a statement can be.
enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)

    static func text(_ text: String?) -> SQLiteValue { text.map { .text($0) } ?? .null }
    static func time(_ time: Timestamp?) -> SQLiteValue { time.map { .integer($0.milliseconds) } ?? .null }
}

/// A statement that stays prepared as long as its connection.
final class SQLiteStatement {
    fileprivate let pointer: OpaquePointer?

    init(_ pointer: OpaquePointer?) { self.pointer = pointer }

    deinit { sqlite3_finalize(pointer) }

    func bind(_ values: [SQLiteValue]) -> Int32 {
        for (index, value) in values.enumerated() {
            let code = bind(value, Int32(index + 1))
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    private func bind(_ value: SQLiteValue, _ index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(pointer, index)
        case .integer(let number): sqlite3_bind_int64(pointer, index, number)
        case .text(let text): sqlite_bind_text_copy(pointer, index, text, Int32(text.utf8.count))
        }
    }

    func step() -> Int32 { sqlite3_step(pointer) }

    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }
}

/// The row that a query is at.
struct SQLiteRow {
    private let statement: SQLiteStatement

    init(_ statement: SQLiteStatement) { self.statement = statement }

    func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement.pointer, Int32(column)) }

    func text(_ column: Int) -> String {
        guard let text = sqlite3_column_text(statement.pointer, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(statement.pointer, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement.pointer, Int32(column)) == SQLITE_NULL }
}
