import VTXJSON
package import VTXJobs
import VTXSystem

/// Stores jobs, events and records in one SQLite database: many readers, one writer, all data on the disk before a call
/// returns.
package final class SQLiteStore: Sendable {
    let writer: WriteQueue
    private let readers = Locked<[Reader]>([])
    private let observer = Locked<(@Sendable ([NumberedEvent]) -> Void)?>(nil)
    private let path: String

    /// Unchecked: removed from the list by the one thread that uses it.
    private final class Reader: @unchecked Sendable {
        let connection: SQLiteConnection
        init(_ path: String) throws(StoreError) { connection = try SQLiteConnection(path, .reading) }
    }

    /// Opens a database, creating it if necessary.
    ///
    /// - Throws: if it is damaged, or from a newer version of the program. It is not changed then.
    package init(path: String) throws(StoreError) {
        self.path = path
        try WriteAheadLogCheck.check(path)
        writer = try Self.startWriter(path)
    }

    private static func startWriter(_ path: String) throws(StoreError) -> WriteQueue {
        let connection = try SQLiteConnection(path, .writing)
        try connection.execute("PRAGMA foreign_keys = ON")
        try check(connection)
        try connection.execute("PRAGMA journal_mode = WAL")
        // A commit waits for the disk: what a client was told survives a power failure.
        try connection.execute("PRAGMA synchronous = FULL")
        try Schema.migrate(connection)
        do { return try WriteQueue(connection) } catch { throw StoreError(.failed, "\(error)") }
    }

    private static func check(_ connection: SQLiteConnection) throws(StoreError) {
        let problems = try connection.rows("PRAGMA quick_check(3)") { row throws(StoreError) in row.text(0) }
        if problems != ["ok"] { throw .damaged(connection.path, problems.joined(separator: "; ")) }
    }

    /// Writes pending data, and moves the log into the database.
    package func close() {
        writer.close()
        readers.withLock { $0 = [] }
        if let connection = try? SQLiteConnection(path, .writing) {
            try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    package func observe(_ receive: @escaping @Sendable ([NumberedEvent]) -> Void) {
        observer.withLock { $0 = receive }
    }

    /// Runs on the writer's thread.
    func deliver(_ events: [LoggedEvent], _ numbers: [Int64]) {
        guard !numbers.isEmpty, let observer = observer.withLock(\.self) else { return }
        observer(zip(numbers, events).map { NumberedEvent(number: $0, event: $1) })
    }

    func read<Result>(_ body: (SQLiteConnection) throws(StoreError) -> Result) throws(StoreError) -> Result {
        let idle = readers.withLock { $0.popLast() }
        let reader = if let idle { idle } else { try Reader(path) }
        defer { readers.withLock { $0.append(reader) } }
        return try body(reader.connection)
    }
}

/// Encodes stored JSON: keys in order, so that equal values have equal text.
enum StoredJSON {
    static func text(_ value: some Encodable) throws(StoreError) -> String {
        do { return try JSONValue(encoding: value).text } catch {
            throw StoreError(.failed, "cannot be written as JSON: \(error)")
        }
    }

    static func value<Value: Decodable>(_ type: Value.Type, _ text: String, _ what: String) throws(StoreError) -> Value
    {
        do { return try JSONValue(parsing: text).decoded() } catch {
            throw StoreError(.damaged, "the stored \(what) cannot be read: \(error)")
        }
    }
}

/// The tables. Append a step for each change; released steps never change.
enum Schema {
    private static let steps = [
        """
        CREATE TABLE jobs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            state TEXT NOT NULL,
            rank INTEGER NOT NULL,
            tenant TEXT NOT NULL,
            retry_at INTEGER,
            ended_at INTEGER,
            body TEXT NOT NULL
        ) STRICT;
        CREATE INDEX jobs_by_state ON jobs (state, number);
        CREATE INDEX jobs_queue ON jobs (tenant, rank DESC, number) WHERE state = 'queued';
        CREATE INDEX jobs_retry ON jobs (retry_at) WHERE state = 'queued' AND retry_at IS NOT NULL;
        CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;

        CREATE TABLE labels (
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
            PRIMARY KEY (name, value, job)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX labels_of_job ON labels (job);

        CREATE TABLE keys (
            key TEXT PRIMARY KEY,
            digest TEXT NOT NULL,
            job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX keys_of_job ON keys (job);

        CREATE TABLE events (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            type TEXT NOT NULL,
            job TEXT,
            time INTEGER NOT NULL,
            body TEXT NOT NULL
        ) STRICT;
        CREATE INDEX events_of_job ON events (job, number) WHERE job IS NOT NULL;

        CREATE TABLE records (
            collection TEXT NOT NULL,
            name TEXT NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (collection, name)
        ) STRICT, WITHOUT ROWID;
        """,
        """
        ALTER TABLE jobs RENAME COLUMN tenant TO lane;
        UPDATE jobs SET lane = lane || char(10) || 'fetched'
        WHERE state = 'queued' AND json_extract(body, '$.specification.input.url') IS NOT NULL;
        """,
    ]

    /// Migrates a database to the newest version.
    ///
    /// - Throws: if it is from a newer version of the program, whose data must not be lost.
    static func migrate(_ connection: SQLiteConnection) throws(StoreError) {
        let version =
            try connection.rows("PRAGMA user_version") { row throws(StoreError) in Int(row.integer(0)) }.first ?? 0
        guard version <= steps.count else {
            throw StoreError(
                .newer, "the database '\(connection.path)' was written by a newer vtx",
                hint: "its version is \(version), this vtx supports \(steps.count)")
        }
        for (index, step) in steps.enumerated().dropFirst(version) {
            try connection.transaction { () throws(StoreError) in
                try connection.execute(step)
                try connection.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }
}
