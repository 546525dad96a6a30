package import VTXJSON
package import VTXJobs

extension SQLiteStore: RecordStore {
    package func put(_ value: JSONValue, _ collection: String, _ name: String) throws(StoreError) {
        try writer.write { connection throws(StoreError) in
            try Self.put(StoredRecord(collection, name, value), connection)
        }
    }

    static func put(_ record: StoredRecord, _ connection: SQLiteConnection) throws(StoreError) {
        try connection.run(
            "INSERT INTO records VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
            [.text(record.collection), .text(record.name), .text(record.value.text)])
    }

    package func record(_ collection: String, _ name: String) throws(StoreError) -> JSONValue? {
        try read { connection throws(StoreError) in
            try connection.rows(
                "SELECT body FROM records WHERE collection = ? AND name = ?", [.text(collection), .text(name)]
            ) { row throws(StoreError) in try row.json(0) }.first
        }
    }

    package func records(
        _ collection: String, prefix: String
    ) throws(StoreError) -> [(name: String, value: JSONValue)] {
        try read { connection throws(StoreError) in
            try connection.rows(
                "SELECT name, body FROM records WHERE collection = ? AND name >= ? AND name < ? ORDER BY name",
                [.text(collection), .text(prefix), .text(prefix + "\u{10ffff}")]
            ) { row throws(StoreError) in (name: row.text(0), value: try row.json(1)) }
        }
    }

    package func removeRecord(_ collection: String, _ name: String) throws(StoreError) -> Bool {
        try writer.write { connection throws(StoreError) in
            try connection.run(
                "DELETE FROM records WHERE collection = ? AND name = ?", [.text(collection), .text(name)]) > 0
        }
    }

    package func removeRecords(_ collection: String, _ names: [String]) throws(StoreError) {
        try writer.write { connection throws(StoreError) in
            for name in names {
                try connection.run(
                    "DELETE FROM records WHERE collection = ? AND name = ?", [.text(collection), .text(name)])
            }
        }
    }
}

extension SQLiteStore: EventLog {
    static func append(_ events: [LoggedEvent], _ connection: SQLiteConnection) throws(StoreError) -> [Int64] {
        var numbers: [Int64] = []
        for event in events {
            try connection.run(
                "INSERT INTO events (type, job, time, body) VALUES (?, ?, ?, ?)",
                [.text(event.type), .text(event.job?.text), .time(event.time), .text(event.body)])
            numbers.append(connection.lastInsertedNumber)
        }
        return numbers
    }

    package func events(after number: Int64, of job: JobID?, limit: Int) throws(StoreError) -> [NumberedEvent] {
        let condition = job == nil ? "" : "AND job = ?"
        let sql =
            "SELECT number, type, job, time, body FROM events WHERE number > ? \(condition) ORDER BY number LIMIT ?"
        let values: [SQLiteValue] = [.integer(number)] + (job.map { [.text($0.text)] } ?? []) + [.integer(Int64(limit))]
        return try read { connection throws(StoreError) in
            try connection.rows(sql, values) { row throws(StoreError) in
                NumberedEvent(
                    number: row.integer(0),
                    event: LoggedEvent(
                        row.text(1), of: JobID(row.text(2)), at: Timestamp(milliseconds: row.integer(3)),
                        body: row.text(4)))
            }
        }
    }

    package func lastEventNumber() throws(StoreError) -> Int64 {
        let found = try read { connection throws(StoreError) in
            try connection.rows("SELECT max(number) FROM events") { row throws(StoreError) in row.integer(0) }
        }
        return found.first ?? 0
    }

    package func trimEvents(to count: Int) throws(StoreError) {
        try writer.write { connection throws(StoreError) in
            _ = try connection.run(
                "DELETE FROM events WHERE number <= (SELECT max(number) FROM events) - ?", [.integer(Int64(count))])
        }
    }
}

extension SQLiteRow {
    fileprivate func json(_ column: Int) throws(StoreError) -> JSONValue {
        do throws(JSONError) { return try JSONValue(parsing: text(column)) } catch {
            throw StoreError(.damaged, "a stored record cannot be read: \(error)")
        }
    }
}
