/* Spellings to stored terms: pieces of ASCII here, what is not plain by `analyse`. */
#include "speller.h"

enum { OPEN = 1, CLOSE = 2 }; /* as in lexicon.py */

unsigned char kinds[256];

void make_kinds(void) {
    for (int at = 0; at < 256; at++)
        kinds[at] = at >= 'a' && at <= 'z'   ? LOWER
                    : at >= 'A' && at <= 'Z' ? UPPER
                    : at >= '0' && at <= '9' ? DIGIT
                    : at >= 0x80 || at == '\'' ? SPECIAL
                                               : 0;
    for (const char *at = " \t\n\r\v\f!\"()[]{}<>|`*;?~\\"; *at; at++) kinds[(unsigned char)*at] = BLANK;
}

/* Whether only the analyser can read the spelling. */
static bool is_special(const char *spelling, size_t length) {
    if (length > 1 && spelling[0] == '.' && kind(spelling[1]) & (LOWER | UPPER)) return true;
    for (size_t at = 0; at < length; at++) {
        char byte = spelling[at], next = at + 1 < length ? spelling[at + 1] : ' ';
        if (kind(byte) == SPECIAL || (byte == '+' && next == '+')) return true;
        if (byte == '#' && !(kind(next) & ALNUM) && next != '_') return true;
    }
    return false;
}

/* The number of a term. */
static bool number_of(Speller *self, PyObject *term, Row *row) {
    PyObject *stored = PyObject_GetItem(self->numbers, term);
    if (stored == NULL) return false;
    char *bytes;
    Py_ssize_t size;
    uint32_t number;
    bool good = PyBytes_AsStringAndSize(stored, &bytes, &size) == 0;
    if (good && size != sizeof number) {
        PyErr_SetString(PyExc_ValueError, "a number is 4 bytes");
        good = false;
    }
    if (good) memcpy(&number, bytes, sizeof number);
    Py_DECREF(stored);
    if (!good) return false;
    return enough(row_push(row, number));
}

/* The number of the term of a folded word. */
static bool word_number(Speller *self, const char *folded, size_t length, Row *row) {
    size_t place = table_place(&self->words, folded, length);
    if (!enough(place != NO_MEMORY)) return false;
    if (self->words.entries[place].count == 0) {
        char found[ROOM];
        int size = stem(&self->rules, folded, length, found);
        PyObject *term = size < 0 ? NULL : PyUnicode_FromStringAndSize(found, size);
        bool good = term != NULL && number_of(self, term, row);
        Py_XDECREF(term);
        if (!good) return false;
        return enough(table_set(&self->words, place, &row->at[row->count - 1], 1));
    }
    return enough(row_push(row, *numbers_of(&self->words.entries[place])));
}

static size_t lower(const char *from, size_t length, char *to) {
    for (size_t at = 0; at < length; at++) to[at] = kind(from[at]) == UPPER ? from[at] | 0x20 : from[at];
    return length;
}

/* The next run of letters and digits from `*at` on: its length, 0 where there is none. */
static size_t next_piece(const char *spelling, size_t length, size_t *at) {
    while (*at < length && !(kind(spelling[*at]) & ALNUM)) ++*at;
    size_t end = *at;
    while (end < length && kind(spelling[end]) & ALNUM) end++;
    return end - *at;
}

/* The end of the part that begins at `at`: digits, `flush`, `Pelican`, `HTTP` (before `Server`). */
static size_t part_end(const char *piece, size_t length, size_t at) {
    size_t end = at;
    if (kind(piece[at]) == DIGIT) {
        while (end < length && kind(piece[end]) == DIGIT) end++;
        return end;
    }
    while (end < length && kind(piece[end]) == UPPER) end++;
    if (end < length && kind(piece[end]) == LOWER) {
        if (end - at > 1) return end - 1;
        while (end < length && kind(piece[end]) == LOWER) end++;
    }
    return end;
}

static bool is_plural_acronym(const char *piece, size_t length) {
    for (size_t at = 0; at + 1 < length; at++)
        if (kind(piece[at]) != UPPER) return false;
    return length > 2 && piece[length - 1] == 's';
}

/* The main term of a new piece, into `pieces`. */
static bool learn_piece(Speller *self, size_t place, Row *row) {
    const Entry *piece = &self->pieces.entries[place];
    char folded[LONGEST_PIECE];
    row->count = 0;
    if (!word_number(self, folded, lower(piece->key, piece->length, folded), row)) return false;
    return enough(table_set(&self->pieces, place, row->at, 1));
}

/* The terms of its parts behind it, where it has several. */
static bool learn_parts(Speller *self, size_t place, Row *row) {
    const char *piece = self->pieces.entries[place].key;
    size_t length = self->pieces.entries[place].length;
    size_t end = part_end(piece, length, 0);
    if (end == length || is_plural_acronym(piece, length)) return true;
    row->count = 0;
    if (!enough(row_push(row, *numbers_of(&self->pieces.entries[place])))) return false;
    for (size_t at = 0; at < length; at = end) {
        char folded[LONGEST_PIECE];
        end = part_end(piece, length, at);
        if (!word_number(self, folded, lower(piece + at, end - at, folded), row)) return false;
    }
    return enough(table_set(&self->pieces, place, row->at, row->count));
}

/* What is stored of a row of main terms with `extra` terms: these without repeats, between OPEN and CLOSE. */
static bool close_extra(Row *row, const Row *extra) {
    if (extra->count == 0) return true;
    if (!enough(row_reserve(row, extra->count + 2))) return false;
    row->at[row->count++] = OPEN;
    size_t start = row->count;
    for (size_t at = 0; at < extra->count; at++) {
        size_t seen = start;
        while (seen < row->count && row->at[seen] != extra->at[at]) seen++;
        if (seen == row->count) row->at[row->count++] = extra->at[at];
    }
    row->at[row->count++] = CLOSE;
    return true;
}

/* What is stored of a spelling whose pieces are known. */
static bool learn_plain(Speller *self, size_t place, Row *row, Row *extra) {
    const char *spelling = self->spellings.entries[place].key;
    size_t length = self->spellings.entries[place].length;
    char joined[LONGEST_PIECE];
    size_t pieces = 0, folded = 0, size;
    row->count = extra->count = 0;
    for (size_t at = 0; (size = next_piece(spelling, length, &at)) > 0; at += size) {
        size_t known = table_find(&self->pieces, spelling + at, size);
        const Entry *piece = &self->pieces.entries[known];
        const uint32_t *numbers = numbers_of(piece);
        if (!enough(row_push(row, numbers[0]))) return false;
        for (size_t part = 1; part < piece->count; part++)
            if (!enough(row_push(extra, numbers[part]))) return false;
        folded += lower(spelling + at, size, joined + folded);
        pieces++;
    }
    if (pieces > 1 && pieces <= MOST_JOINED && folded <= LONGEST_JOINED && !word_number(self, joined, folded, extra))
        return false;
    if (!close_extra(row, extra)) return false;
    return enough(table_set(&self->spellings, place, row->at, row->count));
}

static bool add_terms(Speller *self, PyObject *terms, Row *row) {
    Py_ssize_t size = PyTuple_Size(terms);
    for (Py_ssize_t at = 0; at < size; at++)
        if (!number_of(self, PyTuple_GetItem(terms, at), row)) return false;
    return size >= 0;
}

bool analysed(Speller *self, const char *spelling, size_t length, Row *row, Row *extra) {
    PyObject *text = PyUnicode_DecodeUTF8(spelling, (Py_ssize_t)length, "replace");
    PyObject *terms = text == NULL ? NULL : PyObject_CallFunctionObjArgs(self->analyse, text, NULL);
    Py_XDECREF(text);
    if (terms == NULL) return false;
    extra->count = 0;
    PyObject *main = PyTuple_GetItem(terms, 0), *more = main == NULL ? NULL : PyTuple_GetItem(terms, 1);
    bool good = more != NULL && add_terms(self, main, row) && add_terms(self, more, extra) && close_extra(row, extra);
    Py_DECREF(terms);
    return good;
}

/* In this order numbers are given to new terms, as in spellings.py. */
bool learn(Speller *self, Row *row, Row *extra) {
    Table *spellings = &self->spellings;
    Row plain = {0};
    bool good = true;
    size_t known = self->pieces.count;
    for (size_t place = self->learned; good && place < spellings->count; place++) {
        const Entry *entry = &spellings->entries[place];
        if (!is_special(entry->key, entry->length)) {
            good = enough(row_push(&plain, (uint32_t)place));
            continue;
        }
        row->count = 0;
        good = analysed(self, entry->key, entry->length, row, extra) &&
               enough(table_set(spellings, place, row->at, row->count));
    }
    for (size_t at = 0; good && at < plain.count; at++) {
        const Entry *entry = &spellings->entries[plain.at[at]];
        size_t size;
        for (size_t from = 0; good && (size = next_piece(entry->key, entry->length, &from)) > 0; from += size)
            good = enough(table_place(&self->pieces, entry->key + from, size) != NO_MEMORY);
    }
    for (size_t place = known; good && place < self->pieces.count; place++) good = learn_piece(self, place, row);
    for (size_t place = known; good && place < self->pieces.count; place++) good = learn_parts(self, place, row);
    for (size_t at = 0; good && at < plain.count; at++) good = learn_plain(self, plain.at[at], row, extra);
    row_free(&plain);
    self->learned = spellings->count;
    return good;
}
