// SQLite, with what Swift does not import: a constant that is a cast function pointer.
#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>

static inline int sqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int byte_count) {
    return sqlite3_bind_text(statement, index, text, byte_count, SQLITE_TRANSIENT);
}

#endif
