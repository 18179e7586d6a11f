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
        size_t size = stem(&self->rules, folded, length, found);
        PyObject *term = PyUnicode_FromStringAndSize(found, (Py_ssize_t)size);
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

/* The main terms of a plain spelling: its pieces. */
static bool main_terms(Speller *self, const char *spelling, size_t length, Row *row) {
    char folded[LONGEST_PIECE];
    size_t size;
    for (size_t at = 0; (size = next_piece(spelling, length, &at)) > 0; at += size)
        if (size <= LONGEST_PIECE && !word_number(self, folded, lower(spelling + at, size, folded), row)) return false;
    return true;
}

/* The terms of the parts of pieces that have several. */
static bool part_terms(Speller *self, const char *spelling, size_t length, Row *row) {
    char folded[LONGEST_PIECE];
    size_t size;
    for (size_t at = 0; (size = next_piece(spelling, length, &at)) > 0; at += size) {
        const char *piece = spelling + at;
        if (size > LONGEST_PIECE || part_end(piece, size, 0) == size || is_plural_acronym(piece, size)) continue;
        for (size_t from = 0, end; from < size; from = end) {
            end = part_end(piece, size, from);
            if (!word_number(self, folded, lower(piece + from, end - from, folded), row)) return false;
        }
    }
    return true;
}

/* The term of a few short pieces written as one word. */
static bool joined_term(Speller *self, const char *spelling, size_t length, Row *row) {
    char joined[LONGEST_JOINED];
    size_t pieces = 0, folded = 0, size;
    for (size_t at = 0; (size = next_piece(spelling, length, &at)) > 0; at += size) {
        if (size > LONGEST_PIECE) continue;
        if (++pieces > MOST_JOINED || folded + size > LONGEST_JOINED) return true;
        folded += lower(spelling + at, size, joined + folded);
    }
    return pieces < 2 || word_number(self, joined, folded, row);
}

static void drop_repeats(Row *row) {
    size_t kept = 0;
    for (size_t at = 0; at < row->count; at++) {
        size_t seen = 0;
        while (seen < kept && row->at[seen] != row->at[at]) seen++;
        if (seen == kept) row->at[kept++] = row->at[at];
    }
    row->count = kept;
}

/* Puts `extra` terms behind a row of main terms, between OPEN and CLOSE. */
static bool add_extra(Row *row, const Row *extra) {
    if (extra->count == 0) return true;
    if (!enough(row_reserve(row, extra->count + 2))) return false;
    row->at[row->count++] = OPEN;
    memcpy(row->at + row->count, extra->at, extra->count * sizeof *extra->at);
    row->count += extra->count;
    row->at[row->count++] = CLOSE;
    return true;
}

/* What is stored of a plain spelling, at most LONGEST_CHUNK long, behind what `row` holds. */
static bool plain(Speller *self, const char *spelling, size_t length, Row *row, Row *extra) {
    extra->count = 0;
    if (!main_terms(self, spelling, length, row) || !part_terms(self, spelling, length, extra) ||
        !joined_term(self, spelling, length, extra))
        return false;
    drop_repeats(extra);
    return add_extra(row, extra);
}

static bool add_terms(Speller *self, PyObject *terms, Row *row) {
    Py_ssize_t size = PyTuple_Size(terms);
    for (Py_ssize_t at = 0; at < size; at++)
        if (!number_of(self, PyTuple_GetItem(terms, at), row)) return false;
    return size >= 0;
}

static bool analysed(Speller *self, const char *spelling, size_t length, Row *row, Row *extra) {
    PyObject *text = PyUnicode_DecodeUTF8(spelling, (Py_ssize_t)length, "replace");
    PyObject *terms = text == NULL ? NULL : PyObject_CallFunctionObjArgs(self->analyse, text, NULL);
    Py_XDECREF(text);
    if (terms == NULL) return false;
    extra->count = 0;
    PyObject *main = PyTuple_GetItem(terms, 0), *more = main == NULL ? NULL : PyTuple_GetItem(terms, 1);
    bool good = more != NULL && add_terms(self, main, row) && add_terms(self, more, extra) && add_extra(row, extra);
    Py_DECREF(terms);
    return good;
}

bool read_long(Speller *self, const char *spelling, size_t length, Row *row, Row *extra) {
    size_t start = length < LONGEST_CHUNK ? length : LONGEST_CHUNK;
    bool signs_first = length > start && !(kind(spelling[0]) & ALNUM); /* which `analyse` takes off before it cuts */
    bool special = signs_first || is_special(spelling, length) || is_special(spelling, start);
    return special ? analysed(self, spelling, length, row, extra) : plain(self, spelling, start, row, extra);
}

/* What is stored of the new spellings that only the analyser can read; the others into `others`. */
static bool learn_special(Speller *self, Row *others, Row *row, Row *extra) {
    for (size_t place = self->learned; place < self->spellings.count; place++) {
        const Entry *entry = &self->spellings.entries[place];
        row->count = 0;
        if (!is_special(entry->key, entry->length)) {
            if (!enough(row_push(others, (uint32_t)place))) return false;
        } else if (!analysed(self, entry->key, entry->length, row, extra) ||
                   !enough(table_set(&self->spellings, place, row->at, row->count))) {
            return false;
        }
    }
    return true;
}

/* The same of plain ones. All main terms get their numbers first, then all parts, as in spellings.py. */
static bool learn_plain(Speller *self, const Row *places, Row *row, Row *extra) {
    enum { MAIN, PARTS, ALL };
    for (int pass = MAIN; pass <= ALL; pass++) {
        for (size_t at = 0; at < places->count; at++) {
            const Entry *entry = &self->spellings.entries[places->at[at]];
            row->count = 0;
            if (pass == MAIN && !main_terms(self, entry->key, entry->length, row)) return false;
            if (pass == PARTS && !part_terms(self, entry->key, entry->length, row)) return false;
            if (pass == ALL && (!plain(self, entry->key, entry->length, row, extra) ||
                                !enough(table_set(&self->spellings, places->at[at], row->at, row->count))))
                return false;
        }
    }
    return true;
}

bool learn(Speller *self, Row *row, Row *extra) {
    Row others = {0};
    bool good = learn_special(self, &others, row, extra) && learn_plain(self, &others, row, extra);
    row_free(&others);
    self->learned = self->spellings.count;
    return good;
}
