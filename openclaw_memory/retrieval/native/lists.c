/* Lists: which chunks hold a term, as Lists of postings.py counts them. */
#include "speed.h"

#include <stdlib.h>

#define FIRST 16 /* as in lexicon.py: smaller numbers are signs */

typedef struct {
    uint32_t chunks;
    uint32_t last; /* the chunk that it was seen in last */
} Term;

typedef struct {
    PyObject_HEAD
    Term *terms; /* by number */
    size_t room;
    Row seen; /* term, chunk, term, chunk, ... */
    uint32_t highest;
    bool is_mixed; /* chunks did not come in order */
} Lists;

static bool reserve(Lists *self, uint32_t number) {
    if (number < self->room) return true;
    size_t room = (size_t)number + number / 2 + 1024;
    Term *terms = PyMem_Realloc(self->terms, room * sizeof *terms);
    if (terms == NULL) return false;
    memset(terms + self->room, 0, (room - self->room) * sizeof *terms);
    self->terms = terms;
    self->room = room;
    return true;
}

static bool count_chunk(Lists *self, uint32_t chunk, const char *text, Py_ssize_t size) {
    self->is_mixed = self->is_mixed || chunk < self->highest;
    if (chunk > self->highest) self->highest = chunk;
    for (Py_ssize_t at = 0; at + 4 <= size; at += 4) {
        uint32_t number;
        memcpy(&number, text + at, sizeof number);
        if (number < FIRST) continue;
        if (!reserve(self, number)) return false;
        Term *term = &self->terms[number];
        if (term->chunks > 0 && term->last == chunk) continue;
        if (!row_reserve(&self->seen, 2)) return false;
        self->seen.at[self->seen.count++] = number;
        self->seen.at[self->seen.count++] = chunk;
        *term = (Term){term->chunks + 1, chunk};
    }
    return true;
}

static PyObject *lists_add(PyObject *object, PyObject *arguments) {
    unsigned int first;
    PyObject *texts;
    if (!PyArg_ParseTuple(arguments, "IO", &first, &texts)) return NULL;
    Py_ssize_t count = PyList_Size(texts);
    if (count < 0) return NULL;
    for (Py_ssize_t at = 0; at < count; at++) {
        char *text;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyList_GetItem(texts, at), &text, &size) < 0) return NULL;
        if (!count_chunk((Lists *)object, first + (uint32_t)at, text, size)) return PyErr_NoMemory();
    }
    Py_RETURN_NONE;
}

static int in_order(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* By term, the chunks of all terms in a row (counting sort); `starts[term]` is where those of the next one begin. */
static uint32_t *sorted(const Lists *self, size_t *starts) {
    uint32_t *chunks = PyMem_Malloc((self->seen.count / 2 + 1) * sizeof *chunks);
    if (chunks == NULL) return NULL;
    size_t start = 0;
    for (size_t term = 0; term < self->room; term++) {
        starts[term] = start;
        start += self->terms[term].chunks;
    }
    for (size_t at = 0; at < self->seen.count; at += 2) chunks[starts[self->seen.at[at]]++] = self->seen.at[at + 1];
    return chunks;
}

static PyObject *lists_blobs(PyObject *object, PyObject *Py_UNUSED(nothing)) {
    const Lists *self = (Lists *)object;
    PyObject *found = PyDict_New(); /* first: it may run what Python collects */
    size_t *starts = PyMem_Malloc((self->room + 1) * sizeof *starts);
    uint32_t *chunks = starts == NULL ? NULL : sorted(self, starts);
    if (chunks == NULL) {
        Py_CLEAR(found);
        PyErr_NoMemory();
    }
    for (size_t term = 0; found != NULL && term < self->room; term++) {
        size_t count = self->terms[term].chunks;
        if (count == 0) continue;
        uint32_t *of_term = chunks + starts[term] - count;
        if (self->is_mixed) qsort(of_term, count, sizeof *of_term, in_order);
        PyObject *key = PyLong_FromSize_t(term);
        PyObject *blob = PyBytes_FromStringAndSize((char *)of_term, (Py_ssize_t)(count * sizeof *of_term));
        if (key == NULL || blob == NULL || PyDict_SetItem(found, key, blob) < 0) Py_CLEAR(found);
        Py_XDECREF(key);
        Py_XDECREF(blob);
    }
    PyMem_Free(starts);
    PyMem_Free(chunks);
    return found;
}

static void lists_dealloc(PyObject *object) {
    PyMem_Free(((Lists *)object)->terms);
    row_free(&((Lists *)object)->seen);
    object_free(object);
}

static PyMethodDef methods[] = {
    {"add", lists_add, METH_VARARGS, "Count the terms of the stored texts of chunks that follow each other."},
    {"blobs", lists_blobs, METH_NOARGS, "Term to the numbers of its chunks in order, as stored; by term."},
    {NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_dealloc, lists_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_doc, "Which chunks hold a term; see postings.py."},
    {0, NULL},
};
PyType_Spec lists_spec = {
    .name = "openclaw_memory.retrieval.native._speed.Lists",
    .basicsize = sizeof(Lists),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
