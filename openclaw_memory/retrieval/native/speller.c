/* Speller: texts to stored terms, as Lexicon.encode of lexicon.py does it, to the byte.

   A text is cut into spellings; each new spelling is analysed once. What is not plain ASCII goes to `analyse`. */
#include "speed.h"

enum { OPEN = 1, CLOSE = 2 }; /* as in lexicon.py */

typedef struct {
    PyObject_HEAD
    PyObject *numbers; /* term: its number as 4 bytes; makes one for a new term */
    PyObject *analyse; /* spelling: (main, extra) */
    PyObject *signs;   /* spelling: number of what is no term */
    Rules rules;
    Table spellings; /* what is stored of each */
    Table pieces;    /* main term, extra terms */
    Table words;     /* term */
    size_t learned;  /* spellings that are analysed */
} Speller;

/* -- kinds of bytes ---------------------------------------------------------------------------------------- */

enum { LOWER = 1, UPPER = 2, DIGIT = 4, BLANK = 8, SPECIAL = 16 };
#define ALNUM (LOWER | UPPER | DIGIT)
static unsigned char kinds[256];

void make_kinds(void) {
    for (int at = 0; at < 256; at++)
        kinds[at] = at >= 'a' && at <= 'z'   ? LOWER
                    : at >= 'A' && at <= 'Z' ? UPPER
                    : at >= '0' && at <= '9' ? DIGIT
                    : at >= 0x80 || at == '\'' ? SPECIAL
                                               : 0;
    for (const char *at = " \t\n\r\v\f!\"()[]{}<>|`*;?~\\"; *at; at++) kinds[(unsigned char)*at] = BLANK;
}

static unsigned char kind(char byte) { return kinds[(unsigned char)byte]; }

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

/* -- terms ------------------------------------------------------------------------------------------------- */

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
    return row_push(row, number) || PyErr_NoMemory() != NULL;
}

/* The number of the term of a folded word. */
static bool word_number(Speller *self, const char *folded, size_t length, Row *row) {
    size_t place = table_place(&self->words, folded, length);
    if (place == NO_MEMORY) return PyErr_NoMemory() != NULL;
    if (self->words.entries[place].count == 0) {
        char found[ROOM];
        int size = stem(&self->rules, folded, length, found);
        PyObject *term = size < 0 ? NULL : PyUnicode_FromStringAndSize(found, size);
        bool good = term != NULL && number_of(self, term, row);
        Py_XDECREF(term);
        if (!good) return false;
        return table_set(&self->words, place, &row->at[row->count - 1], 1) || PyErr_NoMemory() != NULL;
    }
    return row_push(row, *numbers_of(&self->words.entries[place])) || PyErr_NoMemory() != NULL;
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
    return table_set(&self->pieces, place, row->at, 1) || PyErr_NoMemory() != NULL;
}

/* The terms of its parts behind it, where it has several. */
static bool learn_parts(Speller *self, size_t place, Row *row) {
    const char *piece = self->pieces.entries[place].key;
    size_t length = self->pieces.entries[place].length;
    size_t end = part_end(piece, length, 0);
    if (end == length || is_plural_acronym(piece, length)) return true;
    row->count = 0;
    if (!row_push(row, *numbers_of(&self->pieces.entries[place]))) return PyErr_NoMemory() != NULL;
    for (size_t at = 0; at < length; at = end) {
        char folded[LONGEST_PIECE];
        end = part_end(piece, length, at);
        if (!word_number(self, folded, lower(piece + at, end - at, folded), row)) return false;
    }
    return table_set(&self->pieces, place, row->at, row->count) || PyErr_NoMemory() != NULL;
}

/* What is stored of a row of main terms with `extra` terms: these without repeats, between OPEN and CLOSE. */
static bool close_extra(Row *row, const Row *extra) {
    if (extra->count == 0) return true;
    if (!row_reserve(row, extra->count + 2)) return PyErr_NoMemory() != NULL;
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
        if (!row_push(row, numbers[0])) return PyErr_NoMemory() != NULL;
        for (size_t part = 1; part < piece->count; part++)
            if (!row_push(extra, numbers[part])) return PyErr_NoMemory() != NULL;
        folded += lower(spelling + at, size, joined + folded);
        pieces++;
    }
    if (pieces > 1 && pieces <= MOST_JOINED && folded <= LONGEST_JOINED && !word_number(self, joined, folded, extra))
        return false;
    if (!close_extra(row, extra)) return false;
    return table_set(&self->spellings, place, row->at, row->count) || PyErr_NoMemory() != NULL;
}

static bool add_terms(Speller *self, PyObject *terms, Row *row) {
    Py_ssize_t size = PyTuple_Size(terms);
    for (Py_ssize_t at = 0; at < size; at++)
        if (!number_of(self, PyTuple_GetItem(terms, at), row)) return false;
    return size >= 0;
}

/* What is stored of a spelling that only the analyser can read, behind what `row` holds. */
static bool analysed(Speller *self, const char *spelling, size_t length, Row *row, Row *extra) {
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

/* Analyses the new spellings. In this order numbers are given to new terms, as in lexicon.py. */
static bool learn(Speller *self, Row *row, Row *extra) {
    Table *spellings = &self->spellings;
    Row plain = {0};
    bool good = true;
    size_t known = self->pieces.count;
    for (size_t place = self->learned; good && place < spellings->count; place++) {
        const Entry *entry = &spellings->entries[place];
        if (!is_special(entry->key, entry->length)) {
            good = row_push(&plain, (uint32_t)place) || PyErr_NoMemory() != NULL;
            continue;
        }
        row->count = 0;
        good = analysed(self, entry->key, entry->length, row, extra) &&
               (table_set(spellings, place, row->at, row->count) || PyErr_NoMemory() != NULL);
    }
    for (size_t at = 0; good && at < plain.count; at++) {
        const Entry *entry = &spellings->entries[plain.at[at]];
        size_t size;
        for (size_t from = 0; good && (size = next_piece(entry->key, entry->length, &from)) > 0; from += size)
            good = table_place(&self->pieces, entry->key + from, size) != NO_MEMORY || PyErr_NoMemory() != NULL;
    }
    for (size_t place = known; good && place < self->pieces.count; place++) good = learn_piece(self, place, row);
    for (size_t place = known; good && place < self->pieces.count; place++) good = learn_parts(self, place, row);
    for (size_t at = 0; good && at < plain.count; at++) good = learn_plain(self, plain.at[at], row, extra);
    row_free(&plain);
    self->learned = spellings->count;
    return good;
}

/* -- texts ------------------------------------------------------------------------------------------------- */

typedef struct {
    Row places; /* of spellings, in order; LONG with the place in `runs` of one that is not kept */
    Row runs;   /* where in `numbers` such a one begins and how long it is */
    Row numbers, spare, extra;
} Work;

#define LONG 0x80000000u

static bool take(Speller *self, Work *work, const char *spelling, size_t length) {
    uint32_t place;
    if (length > LONGEST_PIECE) {
        size_t start = work->numbers.count;
        if (!analysed(self, spelling, length, &work->numbers, &work->extra)) return false;
        place = LONG | (uint32_t)work->runs.count;
        if (!row_push(&work->runs, (uint32_t)start)) return PyErr_NoMemory() != NULL;
        if (!row_push(&work->runs, (uint32_t)(work->numbers.count - start))) return PyErr_NoMemory() != NULL;
    } else {
        size_t found = table_place(&self->spellings, spelling, length);
        if (found == NO_MEMORY) return PyErr_NoMemory() != NULL;
        place = (uint32_t)found;
    }
    return row_push(&work->places, place) || PyErr_NoMemory() != NULL;
}

/* Cuts a text at white space and the signs that never join two words; `. , :` go before a blank. */
static bool cut(Speller *self, Work *work, const char *text, size_t length) {
    for (size_t at = 0; at < length;) {
        while (at < length && kind(text[at]) == BLANK) at++;
        size_t start = at;
        while (at < length && kind(text[at]) != BLANK) at++;
        size_t end = at;
        char after = at < length ? text[at] : ' ';
        if (strchr("\t\r\v\f", after) == NULL)
            for (const char *mark = ".,:"; *mark; mark++) end -= end > start && text[end - 1] == *mark;
        if (end > start && !take(self, work, text + start, end - start)) return false;
    }
    return true;
}

static bool cut_object(Speller *self, Work *work, PyObject *text) {
    Py_ssize_t length;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (bytes != NULL) return cut(self, work, bytes, (size_t)length);
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return false;
    PyErr_Clear(); /* bytes that are not UTF-8 */
    PyObject *encoded = PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape");
    char *data;
    bool good = encoded != NULL && PyBytes_AsStringAndSize(encoded, &data, &length) == 0 &&
                cut(self, work, data, (size_t)length);
    Py_XDECREF(encoded);
    return good;
}

/* The stored numbers of the spellings from `start` to `end`. */
static PyObject *stored(Speller *self, Work *work, size_t start, size_t end) {
    Row *row = &work->spare;
    row->count = 0;
    for (size_t at = start; at < end; at++) {
        uint32_t place = work->places.at[at], count;
        const uint32_t *from;
        if (place & LONG) {
            const uint32_t *run = &work->runs.at[place & ~LONG];
            from = work->numbers.at + run[0];
            count = run[1];
        } else {
            from = numbers_of(&self->spellings.entries[place]);
            count = self->spellings.entries[place].count;
        }
        if (count == 0) continue;
        if (!row_reserve(row, count)) return PyErr_NoMemory();
        memcpy(row->at + row->count, from, count * sizeof *from);
        row->count += count;
    }
    return PyBytes_FromStringAndSize((const char *)row->at, (Py_ssize_t)(row->count * sizeof *row->at));
}

/* -- the type ---------------------------------------------------------------------------------------------- */

/* Forgets all spellings but the signs. */
static bool forget(Speller *self) {
    PyObject *sign, *number;
    Py_ssize_t at = 0;
    table_free(&self->spellings);
    table_free(&self->pieces);
    table_free(&self->words);
    while (PyDict_Next(self->signs, &at, &sign, &number)) {
        char *key;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(sign, &key, &length) < 0) return false;
        uint32_t value = (uint32_t)PyLong_AsUnsignedLong(number);
        if (PyErr_Occurred()) return false;
        size_t place = table_place(&self->spellings, key, (size_t)length);
        if (place == NO_MEMORY || !table_set(&self->spellings, place, &value, 1)) return PyErr_NoMemory() != NULL;
    }
    self->learned = self->spellings.count;
    return true;
}

static PyObject *speller_forget(PyObject *object, PyObject *Py_UNUSED(nothing)) {
    if (!forget((Speller *)object)) return NULL;
    Py_RETURN_NONE;
}

static PyObject *speller_encode(PyObject *object, PyObject *texts) {
    Speller *self = (Speller *)object;
    Py_ssize_t count = PyList_Size(texts);
    if (count < 0) return NULL;
    PyObject *found = PyList_New(count);
    Work work = {0};
    Row ends = {0};
    bool good = found != NULL;
    for (Py_ssize_t at = 0; good && at < count; at++) {
        good = cut_object(self, &work, PyList_GetItem(texts, at));
        if (good && !row_push(&ends, (uint32_t)work.places.count)) good = PyErr_NoMemory() != NULL;
    }
    good = good && learn(self, &work.spare, &work.extra);
    size_t start = 0;
    for (Py_ssize_t at = 0; good && at < count; start = ends.at[at++]) {
        PyObject *one = stored(self, &work, start, ends.at[at]);
        good = one != NULL && PyList_SetItem(found, at, one) == 0;
    }
    row_free(&work.places);
    row_free(&work.runs);
    row_free(&work.numbers);
    row_free(&work.spare);
    row_free(&work.extra);
    row_free(&ends);
    if (good) return found;
    Py_XDECREF(found);
    PyObject *type, *value, *trace; /* what is half learned goes, the error stays */
    PyErr_Fetch(&type, &value, &trace);
    if (!forget(self)) PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return NULL;
}

static PyObject *speller_stem(PyObject *object, PyObject *word) {
    Py_ssize_t length;
    char found[ROOM];
    const char *text = PyUnicode_AsUTF8AndSize(word, &length);
    if (text == NULL) return NULL;
    if (length > LONGEST_PIECE) {
        PyErr_SetString(PyExc_ValueError, "the word is too long");
        return NULL;
    }
    int size = stem(&((Speller *)object)->rules, text, (size_t)length, found);
    return size < 0 ? NULL : PyUnicode_FromStringAndSize(found, size);
}

static PyObject *speller_size(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromSize_t(((Speller *)object)->spellings.count);
}

static PyObject *speller_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"numbers", "analyse", "rules", "signs", "seed", NULL};
    PyObject *numbers, *analyse, *rules, *signs;
    unsigned long long seed;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO!O!K", names, &numbers, &analyse, &PyTuple_Type, &rules,
                                     &PyDict_Type, &signs, &seed))
        return NULL;
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Speller *self = (Speller *)make(type, 0);
    if (self == NULL) return NULL;
    self->numbers = Py_NewRef(numbers);
    self->analyse = Py_NewRef(analyse);
    self->signs = Py_NewRef(signs);
    self->spellings.seed = self->pieces.seed = self->words.seed = seed;
    if (!rules_read(&self->rules, rules) || !forget(self)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void speller_dealloc(PyObject *object) {
    Speller *self = (Speller *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->numbers);
    Py_XDECREF(self->analyse);
    Py_XDECREF(self->signs);
    rules_free(&self->rules);
    table_free(&self->spellings);
    table_free(&self->pieces);
    table_free(&self->words);
    freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
    give_back(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"encode", speller_encode, METH_O, "Each text of a list as stored."},
    {"forget", speller_forget, METH_NOARGS, "Forget the spellings."},
    {"stem", speller_stem, METH_O, "The stem of a folded word of ASCII letters and digits."},
    {NULL},
};
static PyGetSetDef getters[] = {{"size", speller_size, NULL, "Spellings that are kept.", NULL}, {NULL}};
static PyType_Slot slots[] = {
    {Py_tp_new, speller_new},   {Py_tp_dealloc, speller_dealloc},
    {Py_tp_methods, methods},   {Py_tp_getset, getters},
    {Py_tp_doc, "Texts to stored terms; see lexicon.py."},
    {0, NULL},
};
PyType_Spec speller_spec = {
    .name = "openclaw_memory.retrieval.native._speed.Speller",
    .basicsize = sizeof(Speller),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
