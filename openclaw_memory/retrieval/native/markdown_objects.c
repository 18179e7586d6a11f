/* The blocks of a scan as objects of Python. */
#include "markdown.h"

enum { FIELDS = 13 };

static const char *const NAMES[KINDS] = {
    "front_matter", "heading", "fence", "indented_code", "table", "item",
    "paragraph",    "quote",   "comment", "html",        "rule",  "blank",
};

PyObject *text_of(Slice text) {
    return PyUnicode_FromStringAndSize(text.length > 0 ? text.at : "", (Py_ssize_t)text.length);
}

PyObject *block_text(const Scan *state, const Leaf *block) {
    if (block->kind == TABLE || block->lines == 0) return text_of((Slice){0});
    const Slice *lines = &state->content[block->content];
    if (block->lines == 1) return text_of(*lines);
    size_t count = block->lines, length = count - 1;
    for (size_t at = 0; at < count; at++) length += lines[at].length;
    char *copy = PyMem_Malloc(length), *to = copy;
    if (copy == NULL) return PyErr_NoMemory();
    for (size_t at = 0; at < count; at++) {
        if (at > 0) *to++ = '\n';
        memcpy(to, lines[at].at, lines[at].length);
        to += lines[at].length;
    }
    PyObject *found = PyUnicode_FromStringAndSize(copy, (Py_ssize_t)length);
    PyMem_Free(copy);
    return found;
}

/* A cell, with pipes that a backslash keeps from splitting the row. */
static PyObject *cell_of(Slice cell) {
    if (!has(cell, "\\|", 2)) return text_of(cell);
    char *copy = PyMem_Malloc(cell.length);
    size_t length = 0;
    if (copy == NULL) return PyErr_NoMemory();
    for (size_t at = 0; at < cell.length; at++)
        if (cell.at[at] != '\\' || at + 1 == cell.length || cell.at[at + 1] != '|') copy[length++] = cell.at[at];
    PyObject *found = PyUnicode_FromStringAndSize(copy, (Py_ssize_t)length);
    PyMem_Free(copy);
    return found;
}

PyObject *row_of(Slice line) {
    size_t count = count_cells(line);
    PyObject *row = PyTuple_New((Py_ssize_t)count);
    Slice body = row_body(line), cell;
    for (size_t at = 0; row != NULL && at < count; at++) {
        next_cell(&body, &cell);
        if (!put(row, (Py_ssize_t)at, cell_of(cell))) Py_CLEAR(row);
    }
    return row;
}

static PyObject *rows_of(const Scan *state, const Leaf *block) {
    size_t count = block->kind == TABLE ? block->lines : 0;
    PyObject *rows = PyTuple_New((Py_ssize_t)count);
    for (size_t at = 0; rows != NULL && at < count; at++)
        if (!put(rows, (Py_ssize_t)at, row_of(state->content[block->content + at]))) Py_CLEAR(rows);
    return rows;
}

static PyObject *box_of(const Leaf *block) {
    return block->checked < 0 ? Py_NewRef(Py_None) : PyBool_FromLong(block->checked);
}

static bool fill(PyObject *found, const Scan *state, const Leaf *block, PyObject *const *kinds) {
    return put(found, 0, Py_NewRef(kinds[block->kind])) && put(found, 1, PyLong_FromSize_t(block->first)) &&
           put(found, 2, PyLong_FromSize_t(block->last)) && put(found, 3, PyLong_FromSize_t(block->depth)) &&
           put(found, 4, PyLong_FromSize_t(block->quote)) && put(found, 5, PyLong_FromLong(block->level)) &&
           put(found, 6, block_text(state, block)) && put(found, 7, text_of(block->info)) &&
           put(found, 8, PyBool_FromLong(block->closed)) && put(found, 9, text_of(block->marker)) &&
           put(found, 10, PyLong_FromSize_t(block->indent)) && put(found, 11, box_of(block)) &&
           put(found, 12, rows_of(state, block));
}

bool is_record(PyObject *type) {
    bool good = type != (PyObject *)&PyTuple_Type && PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type);
    if (!good) PyErr_SetString(PyExc_TypeError, "a record is a kind of tuple");
    return good;
}

PyObject *new_fields(Py_ssize_t count) {
    PyObject *fields = PyTuple_New(count);
    for (Py_ssize_t at = 0; fields != NULL && at < count; at++)
        if (!put(fields, at, Py_NewRef(Py_None))) Py_CLEAR(fields);
    PyObject *arguments = fields == NULL ? NULL : PyTuple_Pack(1, fields);
    Py_XDECREF(fields);
    return arguments;
}

/* By tuple.__new__: a tuple knows more of itself (its hash, from CPython 3.14 on) than the fields. */
PyObject *new_record(PyTypeObject *type, PyObject *fields) {
    newfunc make = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
    return make(type, fields, NULL);
}

bool scan_object(Scan *state, PyObject *text) {
    Py_ssize_t length;
    const char *at = PyUnicode_AsUTF8AndSize(text, &length);
    if (at == NULL) return false;
    scan(state, (Slice){at, (size_t)length});
    if (!state->failed) return true;
    scan_free(state);
    return PyErr_NoMemory() != NULL;
}

static PyObject *blocks_of(const Scan *state, PyTypeObject *type) {
    PyObject *kinds[KINDS] = {NULL};
    PyObject *fields = new_fields(FIELDS), *found = fields == NULL ? NULL : PyTuple_New((Py_ssize_t)state->count);
    for (size_t at = 0; found != NULL && at < KINDS; at++)
        if ((kinds[at] = PyUnicode_InternFromString(NAMES[at])) == NULL) Py_CLEAR(found);
    for (size_t at = 0; found != NULL && at < state->count; at++) {
        PyObject *block = new_record(type, fields);
        if (block != NULL && !fill(block, state, &state->blocks[at], kinds)) Py_CLEAR(block);
        if (!put(found, (Py_ssize_t)at, block)) Py_CLEAR(found);
    }
    for (size_t at = 0; at < KINDS; at++) Py_XDECREF(kinds[at]);
    Py_XDECREF(fields);
    return found;
}

/* blocks(text, Block). Raises UnicodeEncodeError for a lone surrogate. */
PyObject *markdown_blocks(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *text, *type;
    Scan state = {0};
    if (!PyArg_ParseTuple(arguments, "UO!:blocks", &text, &PyType_Type, &type)) return NULL;
    if (!is_record(type) || !scan_object(&state, text)) return NULL;
    PyObject *found = blocks_of(&state, (PyTypeObject *)type);
    scan_free(&state);
    return found;
}
