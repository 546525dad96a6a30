import VTXJobs

/// The tables. A change appends a step; one that has been released never changes.
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
        """
    ]

    /// Brings a database to the newest version.
    ///
    /// - Throws: for one of a newer program: what that has written must not be lost.
    static func migrate(_ connection: SQLiteConnection) throws(StoreError) {
        let version =
            try connection.rows("PRAGMA user_version") { row throws(StoreError) in Int(row.integer(0)) }.first ?? 0
        guard version <= steps.count else {
            throw StoreError(
                .newer, "the database '\(connection.path)' was written by a newer vtx",
                hint: "its version is \(version), this vtx knows \(steps.count)")
        }
        for (index, step) in steps.enumerated().dropFirst(version) {
            try connection.transaction { () throws(StoreError) in
                try connection.execute(step)
                try connection.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }
}
