package import VTXJobs

extension SQLiteStore: JobStore {
    package func add(_ job: Job, key: IdempotencyKey?, _ events: [LoggedEvent]) throws(StoreError) -> Added {
        let body = try StoredJSON.text(job)
        return try writer.write { connection throws(StoreError) in
            if let key, let known = try Self.known(key, connection) { return known }
            try connection.run(
                "INSERT INTO jobs (id, state, rank, lane, retry_at, ended_at, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [.text(job.id.text)] + job.columns(body))
            let number = connection.lastInsertedNumber
            for (name, value) in job.specification.labels {
                try connection.run(
                    "INSERT INTO labels VALUES (?, ?, ?)", [.text(name), .text(value), .integer(number)])
            }
            if let key {
                try connection.run(
                    "INSERT INTO keys VALUES (?, ?, ?)", [.text(key.key), .text(key.digest), .integer(number)])
            }
            return .new(try Self.append(events, connection))
        } written: { [self] added in
            if case .new(let numbers) = added { deliver(events, numbers) }
        }
    }

    package func added(by key: IdempotencyKey) throws(StoreError) -> Added? {
        try read { connection throws(StoreError) in try Self.known(key, connection) }
    }

    private static func known(_ key: IdempotencyKey, _ connection: SQLiteConnection) throws(StoreError) -> Added? {
        try connection.rows(
            "SELECT keys.digest, jobs.body FROM keys JOIN jobs ON jobs.number = keys.job WHERE keys.key = ?",
            [.text(key.key)]
        ) { row throws(StoreError) in
            row.text(0) == key.digest ? Added.existing(try row.job(1)) : .conflict
        }.first
    }

    package func save(_ jobs: [Job], _ events: [LoggedEvent], _ records: [StoredRecord]) throws(StoreError) -> [Int64] {
        var bodies: [String] = []
        for job in jobs { bodies.append(try StoredJSON.text(job)) }
        let rows = zip(jobs, bodies).map { ($0, $1) }
        return try writer.write { connection throws(StoreError) in
            for (job, body) in rows {
                try connection.run(
                    "UPDATE jobs SET state = ?, rank = ?, lane = ?, retry_at = ?, ended_at = ?, body = ? WHERE id = ?",
                    job.columns(body) + [.text(job.id.text)])
            }
            for record in records { try Self.put(record, connection) }
            return try Self.append(events, connection)
        } written: { [self] numbers in
            deliver(events, numbers)
        }
    }

    package func job(_ id: JobID) throws(StoreError) -> Job? {
        try read { connection throws(StoreError) in
            try connection.rows("SELECT body FROM jobs WHERE id = ?", [.text(id.text)]) { row throws(StoreError) in
                try row.job(0)
            }.first
        }
    }

    package func list(_ query: JobQuery) throws(StoreError) -> JobPage {
        let (sql, values) = query.labels.isEmpty ? Self.byState(query) : Self.byLabel(query)
        return try page("\(sql) ORDER BY number DESC LIMIT ?", values, query.limit)
    }

    private static func byState(_ query: JobQuery) -> (sql: String, values: [SQLiteValue]) {
        var (conditions, values) = ([String](), [SQLiteValue]())
        if let cursor = query.cursor {
            conditions.append("number < ?")
            values.append(.integer(cursor))
        }
        if !query.states.isEmpty {
            conditions.append("state IN \(query.stateMarks)")
            values += query.stateValues
        }
        let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return ("SELECT number, body FROM jobs" + condition, values)
    }

    /// Selects one label's jobs, newest first, up to the end of the page, using indexes only: a label of all jobs costs
    /// no more than one of few.
    private static func byLabel(_ query: JobQuery) -> (sql: String, values: [SQLiteValue]) {
        let labels = query.labels.sorted { $0.key < $1.key }
        var conditions = ["first.name = ?", "first.value = ?"]
        var values = labels[0...0].flatMap { [SQLiteValue.text($0.key), .text($0.value)] }
        if let cursor = query.cursor {
            conditions.append("first.job < ?")
            values.append(.integer(cursor))
        }
        for (name, value) in labels.dropFirst() {
            conditions.append("EXISTS (SELECT 1 FROM labels WHERE name = ? AND value = ? AND job = first.job)")
            values += [.text(name), .text(value)]
        }
        if !query.states.isEmpty {
            let state = "FROM jobs INDEXED BY jobs_by_state WHERE state IN \(query.stateMarks) AND number = first.job"
            conditions.append("EXISTS (SELECT 1 \(state))")
            values += query.stateValues
        }
        let found = """
            SELECT first.job FROM labels AS first WHERE \(conditions.joined(separator: " AND "))
            ORDER BY first.job DESC LIMIT ?
            """
        let limit = SQLiteValue.integer(Int64(query.limit) + 1)
        return ("SELECT number, body FROM jobs WHERE number IN (\(found))", values + [limit])
    }

    private func page(_ sql: String, _ values: [SQLiteValue], _ limit: Int) throws(StoreError) -> JobPage {
        let rows = try read { connection throws(StoreError) in
            try connection.rows(sql, values + [.integer(Int64(limit) + 1)]) { row throws(StoreError) in
                (row.integer(0), try row.job(1))
            }
        }
        return JobPage(jobs: rows.prefix(limit).map(\.1), cursor: rows.count > limit ? rows[limit - 1].0 : nil)
    }

    package func candidates(at now: Timestamp, _ query: CandidateQuery) throws(StoreError) -> [Job] {
        let sql = """
            \(Self.lanes)
            SELECT body FROM jobs WHERE number IN (
                SELECT jobs.number FROM kind, jobs WHERE jobs.number IN (
                    SELECT number FROM jobs INDEXED BY jobs_queue
                    WHERE state = 'queued' AND lane = kind.lane AND rank > ?
                        AND (retry_at IS NULL OR retry_at <= ? OR retry_at > ?)
                    ORDER BY rank DESC, number LIMIT max(1, min(?, ? / (SELECT count(*) FROM kind))))
                ORDER BY jobs.rank DESC, jobs.number LIMIT ?)
            """
        let numbers = [
            query.areFetched ? 1 : 0, Int64(query.above ?? .min), now.milliseconds,
            (now + Job.longestWait).milliseconds, Int64(query.perLane), Int64(query.total), Int64(query.total),
        ]
        return try jobs(sql, numbers.map { .integer($0) })
    }

    /// The lanes of one kind, which `Job.lane` marks. Steps from lane to lane through the index, so that a queue of a
    /// hundred thousand jobs costs no more than one of ten. SQLite would choose the index of states and scan all queued
    /// jobs.
    private static let lanes = """
        WITH RECURSIVE lanes (lane) AS (
            SELECT min(lane) FROM jobs INDEXED BY jobs_queue WHERE state = 'queued'
            UNION ALL
            SELECT (
                SELECT min(lane) FROM jobs INDEXED BY jobs_queue
                WHERE state = 'queued' AND jobs.lane > lanes.lane)
            FROM lanes WHERE lanes.lane IS NOT NULL
        ), kind (lane) AS MATERIALIZED (SELECT lane FROM lanes WHERE (instr(lane, char(10)) > 0) = ?)
        """

    package func nextRetry(after now: Timestamp) throws(StoreError) -> Timestamp? {
        let sql = """
            SELECT min(retry_at) FROM jobs INDEXED BY jobs_retry
            WHERE state = 'queued' AND retry_at IS NOT NULL AND retry_at > ?
            """
        let found = try read { connection throws(StoreError) in
            try connection.rows(sql, [.integer(now.milliseconds)]) { row throws(StoreError) in
                row.isNull(0) ? nil : Timestamp(milliseconds: row.integer(0))
            }
        }
        return found.first ?? nil
    }

    package func active() throws(StoreError) -> [Job] {
        let query = JobQuery(states: JobState.active)
        return try jobs("SELECT body FROM jobs WHERE state IN \(query.stateMarks) ORDER BY number", query.stateValues)
    }

    package func begun() throws(StoreError) -> [Job] {
        let sql = """
            SELECT body FROM jobs
            WHERE state = 'queued' AND json_array_length(body, '$.attempts') > 0 ORDER BY number
            """
        return try jobs(sql).filter(\.hasBegun)
    }

    /// Returns the jobs of a query whose only column is their body.
    private func jobs(_ sql: String, _ values: [SQLiteValue] = []) throws(StoreError) -> [Job] {
        try read { connection throws(StoreError) in
            try connection.rows(sql, values) { row throws(StoreError) in try row.job(0) }
        }
    }

    package func counts() throws(StoreError) -> [JobState: Int] {
        let rows = try read { connection throws(StoreError) in
            try connection.rows("SELECT state, count(*) FROM jobs GROUP BY state") { row throws(StoreError) in
                (JobState(rawValue: row.text(0)), Int(row.integer(1)))
            }
        }
        return rows.reduce(into: [:]) { counts, row in if let state = row.0 { counts[state] = row.1 } }
    }

    package func removeEnded(before time: Timestamp, limit: Int) throws(StoreError) -> [Job] {
        let sql = "SELECT body FROM jobs WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?"
        return try writer.write { connection throws(StoreError) in
            let values: [SQLiteValue] = [.integer(time.milliseconds), .integer(Int64(limit))]
            let jobs = try connection.rows(sql, values) { row throws(StoreError) in try row.job(0) }
            for id in jobs.map(\.id.text) {
                try connection.run("DELETE FROM jobs WHERE id = ?", [.text(id)])
                try connection.run("DELETE FROM events WHERE job = ?", [.text(id)])
                for collection in RecordCollections.ofJobs {
                    try connection.run(
                        "DELETE FROM records WHERE collection = ? AND name = ?", [.text(collection), .text(id)])
                }
            }
            return jobs
        }
    }
}

extension JobQuery {
    fileprivate var stateMarks: String { "(\(states.map { _ in "?" }.joined(separator: ", ")))" }
    fileprivate var stateValues: [SQLiteValue] { states.map(\.rawValue).sorted().map { .text($0) } }
}

extension Job {
    /// The values of the columns besides the body, in order.
    fileprivate func columns(_ body: String) -> [SQLiteValue] {
        [
            .text(state.rawValue), .integer(Int64(rank)), .text(lane), .time(retryAt),
            .time(state.isFinal ? endedAt : nil), .text(body),
        ]
    }
}

extension SQLiteRow {
    fileprivate func job(_ column: Int) throws(StoreError) -> Job {
        try StoredJSON.value(Job.self, text(column), "job")
    }
}
