/* A scan of Markdown over UTF-8. The parts are called, and do line by line, as the modules of `markdown/` in Python:
   markdown_scanner.c, markdown_blocks.c and so on. Tests hold the two to the same blocks, field by field. */
#ifndef OPENCLAW_MEMORY_MARKDOWN_H
#define OPENCLAW_MEMORY_MARKDOWN_H

#include "speed.h"

#include <stddef.h>

#define NESTED 100 /* as in scanner.py */

/* A part of the text, or of a line whose tabs were expanded. */
typedef struct {
    const char *at;
    size_t length;
} Slice;

Slice trimmed(Slice text);                          /* without spaces and tabs around it */
size_t space_at(const char *at, const char *end);   /* bytes of the Unicode white space that starts there, 0: none */
bool is_space(Slice text);                          /* as str.isspace */
bool has(Slice text, const char *part, size_t length);
static inline bool is_blank_sign(char sign) { return sign == ' ' || sign == '\t'; }
static inline Slice from(Slice text, size_t start) { return (Slice){text.at + start, text.length - start}; }

typedef enum {
    FRONT_MATTER,
    HEADING,
    FENCE,
    INDENTED_CODE,
    TABLE,
    ITEM,
    PARAGRAPH,
    QUOTE,
    COMMENT,
    HTML,
    RULE,
    BLANK,
    KINDS,
} Kind;

/* A leaf block, open or done: what document.py calls Block. */
typedef struct {
    Kind kind;
    bool closed;
    signed char checked; /* 1, 0; -1: no task box */
    unsigned char level;
    unsigned char end; /* html: the kind whose end closes it, 0: a blank line */
    uint32_t depth, quote;
    size_t first, last, indent;
    size_t content, lines; /* its part of the scan's content: lines of its text, rows of a table */
    Slice marker, info;
} Leaf;

/* An open list item, or a block quote (width -1). */
typedef struct {
    ptrdiff_t width;
    size_t line;
} Container;

typedef struct {
    Container stack[NESTED];
    size_t open, quotes; /* containers on the stack; those of them that are quotes */
    bool has_leaf;
    Leaf leaf;
    Leaf *blocks;
    size_t count, room;
    Slice *content;
    size_t content_count, content_room;
    Slice *lines; /* of the text, without their ends */
    size_t line_count, line_room;
    size_t number;
    Arena arena; /* lines whose tabs were expanded */
    bool failed; /* no memory: what was found is not whole */
} Scan;

void scan(Scan *state, Slice text);
void scan_free(Scan *state);

/* markdown_blocks.c */
Leaf new_leaf(const Scan *state, Kind kind, size_t number, size_t depth, size_t quote);
bool is_open(const Scan *state, Kind kind);
void push_container(Scan *state, ptrdiff_t width);
void drop(Scan *state, size_t matched);
void start(Scan *state, Kind kind);
void close_leaf(Scan *state);
void add(Scan *state, const Leaf *block);
void add_empty_item(Scan *state, const Leaf *item);
void add_blank(Scan *state);
void add_content(Scan *state, Slice line);
bool is_empty(const Scan *state, size_t container);
bool has_no_text(const Scan *state, const Leaf *block);
bool cut_lines(Scan *state, Slice text);

/* markdown_quick.c */
bool quick(Scan *state, Slice text);
size_t atx_level(Slice text);
Slice title_of(Slice text, size_t level);
bool is_fence(Slice text, Slice *marker, Slice *info);

/* markdown_leaves.c. `pending`: the item that this line began, NULL: none. */
void make_room(Scan *state, size_t matched, const Leaf *pending);
bool open_leaf(Scan *state, Slice inner, bool has_paragraph, size_t matched, const Leaf *pending, bool has_text);

/* markdown_front_matter.c */
Slice without_mark(Slice text);
size_t front_matter(const Scan *state);

/* markdown_html.c */
int html_start(Slice text, bool interrupts);
int html_end(int number);
bool html_ends(int number, Slice text);

/* markdown_tables.c */
bool is_delimiter(Slice line);
Slice row_body(Slice line);
/* Takes a cell off `body`, trimmed and as it stands; false: that was the last. */
bool next_cell(Slice *body, Slice *cell);
size_t count_cells(Slice line);

/* markdown_objects.c. What gives an object gives NULL, and what gives a bool false, where it sets an error. */
bool scan_object(Scan *state, PyObject *text); /* a `state` of zeros; to be freed only if true */
bool is_record(PyObject *type);
PyObject *new_fields(Py_ssize_t count); /* what `new_record` makes records of so many fields of */
PyObject *new_record(PyTypeObject *type, PyObject *fields); /* a tuple with names, to be filled by `put` */
PyObject *text_of(Slice text);
PyObject *block_text(const Scan *state, const Leaf *block); /* its lines, with LF between them */
PyObject *row_of(Slice line);
/* Takes `value`, which may be an error, into a new tuple. */
static inline bool put(PyObject *tuple, Py_ssize_t at, PyObject *value) {
    return value != NULL && PyTuple_SetItem(tuple, at, value) == 0;
}

/* What Python calls. */
PyObject *markdown_blocks(PyObject *module, PyObject *arguments);
PyObject *markdown_chunks(PyObject *module, PyObject *arguments);

#endif
