/* Rows of tables, as tables.py reads them. */
#include "markdown.h"

static const char *skip_blank(const char *at, const char *end) {
    while (at < end && is_blank_sign(*at)) at++;
    return at;
}

/* Behind `:---:` and the blanks around it, NULL where there is none. */
static const char *after_dashes(const char *at, const char *end) {
    at = skip_blank(at, end);
    if (at < end && *at == ':') at++;
    const char *dashes = at;
    while (at < end && *at == '-') at++;
    if (at == dashes) return NULL;
    if (at < end && *at == ':') at++;
    return skip_blank(at, end);
}

bool is_delimiter(Slice line) {
    const char *at = line.at, *end = line.at + line.length;
    if (at < end && *at == '|') at++;
    at = after_dashes(at, end);
    if (at == NULL) return false;
    while (at < end && *at == '|') {
        const char *next = after_dashes(at + 1, end);
        if (next == NULL) return skip_blank(at + 1, end) == end;
        at = next;
    }
    return at == end;
}

/* A row without its outer pipes. */
Slice row_body(Slice line) {
    Slice body = trimmed(line);
    if (body.length > 0 && *body.at == '|') body = from(body, 1);
    size_t last = body.length - 1;
    if (body.length > 0 && body.at[last] == '|' && (last == 0 || body.at[last - 1] != '\\')) body.length--;
    return body;
}

bool next_cell(Slice *body, Slice *cell) {
    const char *end = body->at + body->length, *pipe = body->at;
    while ((pipe = memchr(pipe, '|', (size_t)(end - pipe))) != NULL && pipe > body->at && pipe[-1] == '\\') pipe++;
    *cell = trimmed((Slice){body->at, (size_t)((pipe == NULL ? end : pipe) - body->at)});
    if (pipe == NULL) return false;
    *body = (Slice){pipe + 1, (size_t)(end - pipe - 1)};
    return true;
}

size_t count_cells(Slice line) {
    Slice body = row_body(line), cell;
    size_t count = 1;
    while (next_cell(&body, &cell)) count++;
    return count;
}
