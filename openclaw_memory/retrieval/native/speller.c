/* Speller: texts to stored terms, as Spellings of spellings.py does it, to the byte. A text is cut into spellings; each
   new spelling is analysed once (words.c). */
#include "speller.h"

typedef struct {
    Row places; /* of spellings, in order; LONG with the place in `runs` of one that is not kept */
    Row ends;   /* of the texts, in `places` */
    Row runs;   /* where in `numbers` such a one begins and how long it is */
    Row numbers, spare, extra;
} Work;

#define LONG 0x80000000u

static bool take(Speller *self, Work *work, const char *spelling, size_t length) {
    uint32_t place;
    if (length > LONGEST_PIECE) {
        size_t start = work->numbers.count;
        if (!read_long(self, spelling, length, &work->numbers, &work->extra)) return false;
        place = LONG | (uint32_t)work->runs.count;
        if (!enough(row_push(&work->runs, (uint32_t)start))) return false;
        if (!enough(row_push(&work->runs, (uint32_t)(work->numbers.count - start)))) return false;
    } else {
        size_t found = table_place(&self->spellings, spelling, length);
        if (!enough(found != NO_MEMORY)) return false;
        place = (uint32_t)found;
    }
    return enough(row_push(&work->places, place));
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
            count = run[1];
            from = count > 0 ? work->numbers.at + run[0] : NULL;
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

/* Forgets all spellings. */
static void forget(Speller *self) {
    table_free(&self->spellings);
    table_free(&self->words);
    self->learned = 0;
}

static bool add_signs(Speller *self) {
    PyObject *sign, *number;
    Py_ssize_t at = 0;
    while (PyDict_Next(self->signs, &at, &sign, &number)) {
        char *key;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(sign, &key, &length) < 0) return false;
        uint32_t value = (uint32_t)PyLong_AsUnsignedLong(number);
        if (PyErr_Occurred()) return false;
        size_t place = table_place(&self->spellings, key, (size_t)length);
        if (!enough(place != NO_MEMORY && table_set(&self->spellings, place, &value, 1))) return false;
    }
    self->learned = self->spellings.count;
    return true;
}

static PyObject *encode(Speller *self, Work *work, PyObject *texts) {
    Py_ssize_t count = PyTuple_Size(texts);
    if (self->spellings.count == 0 && !add_signs(self)) return NULL;
    for (Py_ssize_t at = 0; at < count; at++) {
        if (!cut_object(self, work, PyTuple_GetItem(texts, at))) return NULL;
        if (!enough(row_push(&work->ends, (uint32_t)work->places.count))) return NULL;
    }
    if (!learn(self, &work->spare, &work->extra)) return NULL;
    PyObject *found = PyList_New(count);
    size_t start = 0;
    for (Py_ssize_t at = 0; found != NULL && at < count; start = work->ends.at[at++]) {
        PyObject *one = stored(self, work, start, work->ends.at[at]);
        if (one == NULL || PyList_SetItem(found, at, one) < 0) Py_CLEAR(found);
    }
    return found;
}

/* False, and an error: `numbers` or `analyse` came back here, or another thread while they ran. */
static bool is_idle(const Speller *self) {
    if (self->busy) PyErr_SetString(PyExc_RuntimeError, "the speller is at work");
    return !self->busy;
}

static PyObject *speller_forget(PyObject *object, PyObject *Py_UNUSED(nothing)) {
    if (!is_idle((Speller *)object)) return NULL;
    forget((Speller *)object);
    Py_RETURN_NONE;
}

static PyObject *speller_encode(PyObject *object, PyObject *list) {
    Speller *self = (Speller *)object;
    PyObject *texts = is_idle(self) ? PyList_AsTuple(list) : NULL; /* stays, whatever happens to the list */
    if (texts == NULL) return NULL;
    Work work = {0};
    self->busy = true;
    PyObject *found = encode(self, &work, texts);
    self->busy = false;
    if (found == NULL) forget(self); /* what is half learned */
    row_free(&work.places);
    row_free(&work.ends);
    row_free(&work.runs);
    row_free(&work.numbers);
    row_free(&work.spare);
    row_free(&work.extra);
    Py_DECREF(texts);
    return found;
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
    size_t size = stem(&((Speller *)object)->rules, text, (size_t)length, found);
    return PyUnicode_FromStringAndSize(found, (Py_ssize_t)size);
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
    self->spellings.seed = self->words.seed = seed;
    if (!rules_read(&self->rules, rules) || !add_signs(self)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void speller_dealloc(PyObject *object) {
    Speller *self = (Speller *)object;
    Py_XDECREF(self->numbers);
    Py_XDECREF(self->analyse);
    Py_XDECREF(self->signs);
    rules_free(&self->rules);
    table_free(&self->spellings);
    table_free(&self->words);
    object_free(object);
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
    {Py_tp_doc, "Texts to stored terms; see spellings.py."},
    {0, NULL},
};
PyType_Spec speller_spec = {
    .name = "openclaw_memory.retrieval.native._speed.Speller",
    .basicsize = sizeof(Speller),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
