import CSQLite
import VTXJobs
import VTXSystem

/// A connection to a database, with its prepared statements. One thread at a time uses it.
final class SQLiteConnection {
    enum Mode: Sendable, Hashable {
        case reading
        case writing
    }

    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    let path: String

    /// - Parameter path: The path of the file, which is created if necessary.
    init(_ path: String, _ mode: Mode) throws(StoreError) {
        self.path = path
        if mode == .writing {
            PrivateFile.ensure(path)
            for suffix in ["-wal", "-shm"] { PrivateFile.close(path + suffix) }
        }
        var handle: OpaquePointer?
        let access = mode == .writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE
        let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
        guard let handle, code == SQLITE_OK else {
            let error = StoreError(sqlite: code, handle.map { String(cString: sqlite3_errmsg($0)) } ?? "", path)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 5000)
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters or results.
    func execute(_ sql: String) throws(StoreError) { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    /// Runs a statement that returns no rows.
    ///
    /// - Returns: the number of changed rows.
    @discardableResult
    func run(_ sql: String, _ values: [SQLiteValue] = []) throws(StoreError) -> Int {
        try rows(sql, values) { _ in }
        return Int(sqlite3_changes(handle))
    }

    /// Returns the rows of a query.
    @discardableResult
    func rows<Row>(
        _ sql: String, _ values: [SQLiteValue] = [], _ read: (SQLiteRow) throws(StoreError) -> Row
    ) throws(StoreError) -> [Row] {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try check(statement.bind(values))
        var rows: [Row] = []
        while true {
            let code = statement.step()
            if code == SQLITE_DONE { return rows }
            guard code == SQLITE_ROW else { throw error(code) }
            rows.append(try read(SQLiteRow(statement)))
        }
    }

    var lastInsertedNumber: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs `body` in a transaction.
    func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    private func prepared(_ sql: String) throws(StoreError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        var pointer: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil))
        let statement = SQLiteStatement(pointer)
        statements[sql] = statement
        return statement
    }

    private func check(_ code: Int32) throws(StoreError) { if code != SQLITE_OK { throw error(code) } }

    private func error(_ code: Int32) -> StoreError {
        StoreError(sqlite: code, String(cString: sqlite3_errmsg(handle)), path)
    }
}

extension StoreError {
    init(sqlite code: Int32, _ message: String, _ path: String) {
        let primary = code & 0xff
        switch primary {
        case SQLITE_FULL:
            self.init(
                .full, "no space for the database '\(path)'", hint: "free some space; no acknowledged data is lost")
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(path, message)
        case SQLITE_BUSY, SQLITE_LOCKED: self.init(.busy, "the database '\(path)' is in use: \(message)")
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM:
            self.init(.disk, "cannot read or write the database '\(path)': \(message)")
        default: self.init(.failed, "the database '\(path)' failed: \(message) (\(code))")
        }
    }

    static func damaged(_ path: String, _ what: String) -> StoreError {
        StoreError(
            .damaged, "the database '\(path)' is damaged: \(what)",
            hint: "nothing was changed. Keep a copy of the file and of its '-wal' and '-shm' files; "
                + "'sqlite3 \(path) .recover' recovers what is readable")
    }
}

/// The value of a statement's parameter.
enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)

    static func text(_ text: String?) -> SQLiteValue { text.map { .text($0) } ?? .null }
    static func time(_ time: Timestamp?) -> SQLiteValue { time.map { .integer($0.milliseconds) } ?? .null }
}

/// A prepared statement, kept as long as its connection.
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

/// The current row of a query.
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
