/* A text in chunks of atoms, as chunks.py cuts it: from the blocks of a scan straight to the objects of the index. */
#include "markdown.h"

enum { ATOM = 3, CHUNK = 4, LEVELS = 6 };

typedef struct {
    const Scan *state;
    PyTypeObject *chunk_type, *atom_type;
    PyObject *new_chunk, *new_atom; /* see new_fields */
    PyObject *cut; /* cuts a line that is too long */
    size_t target, most, longest, piece, front, title, headers;
    PyObject *chunks, *heading, *atoms, *pending; /* pending: the heading, which stands for what holds nothing else */
    size_t size;                                  /* characters of `atoms` */
    PyObject *titles[LEVELS];
    unsigned char levels[LEVELS];
    size_t depth;
    PyObject *suffix; /* what stands behind each line of a table, or NULL */
} Cutter;

static void set(PyObject **slot, PyObject *value) {
    PyObject *old = *slot;
    *slot = value;
    Py_XDECREF(old);
}

static size_t characters(Slice text) {
    size_t count = 0;
    for (size_t at = 0; at < text.length; at++) count += ((unsigned char)text.at[at] & 0xC0) != 0x80;
    return count;
}

/* Lines `first` to `last` as they stand in the text, without the end of the last. */
static Slice between(const Scan *state, size_t first, size_t last) {
    Slice end = state->lines[last - 1];
    const char *at = state->lines[first - 1].at;
    return (Slice){at, (size_t)(end.at - at) + end.length};
}

/* Takes `text`. */
static PyObject *new_atom(const Cutter *cutter, size_t first, size_t last, PyObject *text) {
    PyObject *atom = new_record(cutter->atom_type, cutter->new_atom);
    if (atom == NULL) {
        Py_DECREF(text);
        return NULL;
    }
    if (put(atom, 2, text) && put(atom, 0, PyLong_FromSize_t(first)) && put(atom, 1, PyLong_FromSize_t(last)))
        return atom;
    Py_DECREF(atom);
    return NULL;
}

/* Ends a chunk of `atoms`, which it takes. */
static bool add_chunk(Cutter *cutter, PyObject *atoms) {
    PyObject *chunk = new_record(cutter->chunk_type, cutter->new_chunk);
    if (chunk == NULL) {
        Py_DECREF(atoms);
        return false;
    }
    bool good = put(chunk, 1, atoms) && put(chunk, 0, Py_NewRef(cutter->heading)) &&
                put(chunk, 2, PyFloat_FromDouble(1.0)) && put(chunk, 3, Py_NewRef(Py_None)) &&
                PyList_Append(cutter->chunks, chunk) == 0;
    Py_DECREF(chunk);
    return good;
}

static bool end_chunk(Cutter *cutter) {
    PyObject *atoms = cutter->atoms;
    cutter->atoms = NULL;
    cutter->size = 0;
    return atoms == NULL || add_chunk(cutter, atoms);
}

/* The heading that waits is a chunk of its own. */
static bool end_pending(Cutter *cutter) {
    PyObject *atoms = PyList_New(1);
    return atoms != NULL && PyList_SetItem(atoms, 0, Py_NewRef(cutter->pending)) == 0 && add_chunk(cutter, atoms);
}

/* Adds an atom of `text`, which it takes and which may be an error. */
static bool add_atom(Cutter *cutter, size_t first, size_t last, PyObject *text) {
    if (text != NULL && cutter->suffix != NULL) {
        PyObject *whole = PyUnicode_Concat(text, cutter->suffix);
        Py_DECREF(text);
        text = whole;
    }
    Py_ssize_t size = text == NULL ? -1 : PyUnicode_GetLength(text); /* -1 too where `cut` gave what is no text */
    if (size < 0) {
        Py_XDECREF(text);
        return false;
    }
    PyObject *atom = new_atom(cutter, first, last, text);
    if (atom == NULL) return false;
    size_t length = (size_t)size;
    size_t count = cutter->atoms == NULL ? 0 : (size_t)PyList_Size(cutter->atoms);
    bool good = count == 0 || (cutter->size + length <= cutter->target && count < cutter->most) || end_chunk(cutter);
    if (good && cutter->atoms == NULL) cutter->atoms = PyList_New(0);
    good = good && cutter->atoms != NULL && PyList_Append(cutter->atoms, atom) == 0;
    cutter->size += length;
    Py_DECREF(atom);
    return good;
}

static bool add_lines(Cutter *cutter, size_t first, size_t last) {
    return add_atom(cutter, first, last, text_of(between(cutter->state, first, last)));
}

/* A line that is too long, in the parts that Python cuts it into. */
static bool add_long(Cutter *cutter, size_t number) {
    PyObject *line = text_of(cutter->state->lines[number - 1]);
    PyObject *parts = line == NULL ? NULL : PyObject_CallFunctionObjArgs(cutter->cut, line, NULL);
    PyObject *each = parts == NULL ? NULL : PyObject_GetIter(parts);
    bool good = each != NULL;
    for (PyObject *part; good && (part = PyIter_Next(each)) != NULL;) good = add_atom(cutter, number, number, part);
    Py_XDECREF(each);
    Py_XDECREF(parts);
    Py_XDECREF(line);
    return good && PyErr_Occurred() == NULL;
}

/* Lines `first` to `last` in atoms of about `piece` characters. */
static bool add_pieces(Cutter *cutter, size_t first, size_t last) {
    size_t begin = first, size = 0;
    for (size_t number = first; number <= last; number++) {
        size_t length = characters(cutter->state->lines[number - 1]);
        if (size > 0 && size + length > cutter->piece) {
            if (!add_lines(cutter, begin, number - 1)) return false;
            begin = number;
            size = 0;
        }
        size += length + 1;
        if (length <= cutter->longest) continue;
        if (!add_long(cutter, number)) return false;
        begin = number + 1;
        size = 0;
    }
    return begin > last || add_lines(cutter, begin, last);
}

/* The rows of a table, each with the header behind it. */
static bool add_rows(Cutter *cutter, const Leaf *table) {
    size_t size = characters(between(cutter->state, table->first, table->last)), rows = table->last - table->first - 1;
    size_t longest = cutter->headers * size / (rows > 0 ? rows : 1);
    if (longest > cutter->longest) longest = cutter->longest;
    PyObject *blank = PyUnicode_FromString(" "), *cells = row_of(cutter->state->content[table->content]);
    PyObject *header = blank == NULL || cells == NULL ? NULL : PyUnicode_Join(blank, cells);
    PyObject *kept = header == NULL ? NULL : PyUnicode_Substring(header, 0, (Py_ssize_t)longest);
    bool good = kept != NULL;
    if (good && table->lines == 1) good = add_atom(cutter, table->first, table->last, Py_NewRef(kept));
    cutter->suffix = good ? PyUnicode_Concat(blank, kept) : NULL;
    good = good && cutter->suffix != NULL;
    for (size_t number = table->first + 2; good && number <= table->last; number++)
        good = add_pieces(cutter, number, number);
    Py_CLEAR(cutter->suffix);
    Py_XDECREF(kept);
    Py_XDECREF(header);
    Py_XDECREF(cells);
    Py_XDECREF(blank);
    return good;
}

static size_t heading_length(const Scan *state, const Leaf *heading) {
    size_t length = heading->lines - 1;
    for (size_t at = 0; at < heading->lines; at++) length += characters(state->content[heading->content + at]);
    return length;
}

/* The first `most` characters of a heading. */
static PyObject *title_text(const Scan *state, const Leaf *heading, size_t most) {
    PyObject *text = block_text(state, heading);
    PyObject *found = text == NULL ? NULL : PyUnicode_Substring(text, 0, (Py_ssize_t)most);
    Py_XDECREF(text);
    return found;
}

/* What comes stands below another heading. */
static bool add_heading(Cutter *cutter, const Leaf *block) {
    if (cutter->atoms != NULL ? !end_chunk(cutter)
                              : cutter->pending != NULL && block->level <= cutter->levels[cutter->depth - 1] &&
                                    !end_pending(cutter))
        return false;
    while (cutter->depth > 0 && cutter->levels[cutter->depth - 1] >= block->level)
        set(&cutter->titles[--cutter->depth], NULL);
    PyObject *title = title_text(cutter->state, block, cutter->title);
    if (title == NULL) return false;
    cutter->levels[cutter->depth] = block->level;
    cutter->titles[cutter->depth++] = title;
    set(&cutter->heading, PyTuple_New((Py_ssize_t)cutter->depth));
    if (cutter->heading == NULL) return false;
    for (size_t at = 0; at < cutter->depth; at++)
        if (!put(cutter->heading, (Py_ssize_t)at, Py_NewRef(cutter->titles[at]))) return false;
    set(&cutter->pending, new_atom(cutter, block->first, block->last, Py_NewRef(title)));
    return cutter->pending != NULL;
}

static bool add_front_matter(Cutter *cutter, const Leaf *block) {
    PyObject *text = text_of(between(cutter->state, block->first, block->last));
    PyObject *kept = text == NULL ? NULL : PyUnicode_Substring(text, 0, (Py_ssize_t)cutter->front);
    Py_XDECREF(text);
    return add_atom(cutter, block->first, block->last, kept) && end_chunk(cutter);
}

static bool add_block(Cutter *cutter, const Leaf *block) {
    switch (block->kind) {
    case BLANK:
    case RULE: return true;
    case HEADING:
        if (!add_heading(cutter, block)) return false;
        if (heading_length(cutter->state, block) <= cutter->title) return true;
        break;
    case FRONT_MATTER: return add_front_matter(cutter, block);
    case TABLE: return add_rows(cutter, block);
    case ITEM:
        if (has_no_text(cutter->state, block)) return true;
        break;
    default: break;
    }
    if (characters(between(cutter->state, block->first, block->last)) > cutter->longest)
        return add_pieces(cutter, block->first, block->last);
    return add_lines(cutter, block->first, block->last);
}

static bool cut_all(Cutter *cutter) {
    for (size_t at = 0; at < cutter->state->count; at++)
        if (!add_block(cutter, &cutter->state->blocks[at])) return false;
    return cutter->atoms != NULL ? end_chunk(cutter) : cutter->pending == NULL || end_pending(cutter);
}

/* The lines between the fences of the front matter. */
static PyObject *front_lines(const Scan *state) {
    bool has_front = state->count > 0 && state->blocks[0].kind == FRONT_MATTER;
    size_t count = has_front ? state->blocks[0].last - 2 : 0;
    PyObject *found = PyList_New((Py_ssize_t)count);
    for (size_t at = 0; found != NULL && at < count; at++) {
        PyObject *line = text_of(state->lines[at + 1]);
        if (line == NULL || PyList_SetItem(found, (Py_ssize_t)at, line) < 0) Py_CLEAR(found);
    }
    return found;
}

static PyObject *first_title(const Cutter *cutter) {
    const Scan *state = cutter->state;
    for (size_t at = 0; at < state->count; at++)
        if (state->blocks[at].kind == HEADING) return title_text(state, &state->blocks[at], cutter->title);
    return PyUnicode_FromString("");
}

static PyObject *result(const Cutter *cutter) {
    PyObject *title = first_title(cutter), *front = front_lines(cutter->state), *found = NULL;
    if (title != NULL && front != NULL)
        found = Py_BuildValue("OOOn", cutter->chunks, title, front, (Py_ssize_t)cutter->state->line_count);
    Py_XDECREF(title);
    Py_XDECREF(front);
    return found;
}

static void clear(Cutter *cutter) {
    Py_CLEAR(cutter->new_chunk);
    Py_CLEAR(cutter->new_atom);
    Py_CLEAR(cutter->chunks);
    Py_CLEAR(cutter->heading);
    Py_CLEAR(cutter->atoms);
    Py_CLEAR(cutter->pending);
    while (cutter->depth > 0) set(&cutter->titles[--cutter->depth], NULL);
}

/* chunks(text, Chunk, Atom, cut, limits), as _speed.pyi says: the chunks, the first
   heading, the lines of the front matter and the number of lines. Raises UnicodeEncodeError for a lone surrogate. */
PyObject *markdown_chunks(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *text, *chunk, *atom, *found = NULL;
    Cutter cutter = {0};
    Py_ssize_t target, most, longest, piece, front, title, headers;
    if (!PyArg_ParseTuple(arguments, "UO!O!O(nnnnnnn):chunks", &text, &PyType_Type, &chunk, &PyType_Type, &atom,
                          &cutter.cut, &target, &most, &longest, &piece, &front, &title, &headers))
        return NULL;
    if (!is_record(chunk) || !is_record(atom)) return NULL;
    Scan state = {0};
    if (!scan_object(&state, text)) return NULL;
    cutter.state = &state;
    cutter.chunk_type = (PyTypeObject *)chunk;
    cutter.atom_type = (PyTypeObject *)atom;
    cutter.target = (size_t)target;
    cutter.most = (size_t)most;
    cutter.longest = (size_t)longest;
    cutter.piece = (size_t)piece;
    cutter.front = (size_t)front;
    cutter.title = (size_t)title;
    cutter.headers = (size_t)headers;
    cutter.chunks = PyList_New(0);
    cutter.heading = PyTuple_New(0);
    cutter.new_chunk = new_fields(CHUNK);
    cutter.new_atom = new_fields(ATOM);
    bool ready = cutter.chunks != NULL && cutter.heading != NULL && cutter.new_chunk != NULL && cutter.new_atom != NULL;
    if (ready && cut_all(&cutter)) found = result(&cutter);
    clear(&cutter);
    scan_free(&state);
    return found;
}
