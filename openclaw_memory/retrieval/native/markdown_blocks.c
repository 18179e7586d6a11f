/* What a scan holds between two lines, and how a block is opened and closed, as blocks.py does it. */
#include "markdown.h"

Slice trimmed(Slice text) {
    while (text.length > 0 && is_blank_sign(text.at[text.length - 1])) text.length--;
    while (text.length > 0 && is_blank_sign(*text.at)) text = from(text, 1);
    return text;
}

size_t space_at(const char *at, const char *end) {
    if (at == end) return 0;
    const unsigned char *sign = (const unsigned char *)at;
    if (*sign < 0x80) return (*sign >= 9 && *sign <= 13) || (*sign >= 28 && *sign <= 32);
    if (*sign == 0xC2) return sign[1] == 0x85 || sign[1] == 0xA0 ? 2 : 0; /* UTF-8 is whole: what follows is there */
    if (*sign == 0xE1) return sign[1] == 0x9A && sign[2] == 0x80 ? 3 : 0;
    if (*sign == 0xE3) return sign[1] == 0x80 && sign[2] == 0x80 ? 3 : 0;
    if (*sign != 0xE2) return 0;
    if (sign[1] == 0x81) return sign[2] == 0x9F ? 3 : 0;
    return sign[1] == 0x80 && (sign[2] <= 0x8A || sign[2] == 0xA8 || sign[2] == 0xA9 || sign[2] == 0xAF) ? 3 : 0;
}

bool is_space(Slice text) {
    const char *end = text.at + text.length, *at = text.at;
    for (size_t size; (size = space_at(at, end)) > 0;) at += size;
    return text.length > 0 && at == end;
}

bool has(Slice text, const char *part, size_t length) {
    const char *end = text.at + text.length, *at = text.at;
    while ((size_t)(end - at) >= length && (at = memchr(at, *part, (size_t)(end - at) - length + 1)) != NULL) {
        if (memcmp(at, part, length) == 0) return true;
        at++;
    }
    return false;
}

/* `row` with room for more; NULL, and the row stays: no memory. */
static void *grown(Scan *state, void *row, size_t *room, size_t size) {
    size_t wanted = *room + *room / 2 + 64;
    void *found = PyMem_Realloc(row, wanted * size);
    if (found == NULL)
        state->failed = true;
    else
        *room = wanted;
    return found;
}

void add(Scan *state, const Leaf *block) {
    if (state->count == state->room) {
        Leaf *blocks = grown(state, state->blocks, &state->room, sizeof *blocks);
        if (blocks == NULL) return;
        state->blocks = blocks;
    }
    state->blocks[state->count++] = *block;
}

/* Adds a line of text to the open leaf. */
void add_content(Scan *state, Slice line) {
    if (state->content_count == state->content_room) {
        Slice *content = grown(state, state->content, &state->content_room, sizeof *content);
        if (content == NULL) return;
        state->content = content;
    }
    state->content[state->content_count++] = line;
    state->leaf.lines++;
}

static bool add_line(Scan *state, const char *at, const char *end) {
    if (state->line_count == state->line_room) {
        Slice *lines = grown(state, state->lines, &state->line_room, sizeof *lines);
        if (lines == NULL) return false;
        state->lines = lines;
    }
    state->lines[state->line_count++] = (Slice){at, (size_t)(end - at)};
    return true;
}

static const char *find(const char *at, const char *end, char sign) {
    const char *found = at < end ? memchr(at, sign, (size_t)(end - at)) : NULL;
    return found == NULL ? end : found;
}

/* The lines, by LF, CRLF and lone CR. False: no memory. */
bool cut_lines(Scan *state, Slice text) {
    const char *at = text.at, *end = text.at + text.length;
    const char *lf = find(at, end, '\n'), *cr = find(at, end, '\r');
    while (at < end) {
        const char *stop = lf < cr ? lf : cr;
        if (!add_line(state, at, stop)) return false;
        at = stop == end ? end : stop + 1;
        if (stop == cr && at == lf && at < end) at++;
        if (lf < at) lf = find(at, end, '\n');
        if (cr < at) cr = find(at, end, '\r');
    }
    return true;
}

Leaf new_leaf(const Scan *state, Kind kind, size_t number, size_t depth, size_t quote) {
    return (Leaf){.kind = kind,
                  .closed = true,
                  .checked = -1,
                  .depth = (uint32_t)depth,
                  .quote = (uint32_t)quote,
                  .first = number,
                  .last = number,
                  .content = state->content_count};
}

bool is_open(const Scan *state, Kind kind) { return state->has_leaf && state->leaf.kind == kind; }

void push_container(Scan *state, ptrdiff_t width) {
    state->stack[state->open++] = (Container){width, state->number};
    state->quotes += width < 0;
}

/* Closes the containers that the line did not match, and the leaf in them. */
void drop(Scan *state, size_t matched) {
    if (matched >= state->open) return;
    close_leaf(state);
    while (state->open > matched) state->quotes -= state->stack[--state->open].width < 0;
}

void start(Scan *state, Kind kind) {
    close_leaf(state);
    state->leaf = new_leaf(state, kind, state->number, state->open - state->quotes, state->quotes);
    state->has_leaf = true;
}

void close_leaf(Scan *state) {
    if (!state->has_leaf) return;
    state->has_leaf = false;
    const Leaf *leaf = &state->leaf;
    add(state, leaf);
    if (leaf->kind == INDENTED_CODE && leaf->last < state->number - 1) {
        Leaf blank = new_leaf(state, BLANK, leaf->last + 1, leaf->depth, leaf->quote);
        blank.last = state->number - 1;
        add(state, &blank);
    }
}

/* An item whose first line holds no paragraph. */
void add_empty_item(Scan *state, const Leaf *item) {
    Leaf empty = *item;
    empty.last = empty.first;
    empty.lines = 0;
    add(state, &empty);
}

void add_blank(Scan *state) {
    Leaf *last = state->count > 0 ? &state->blocks[state->count - 1] : NULL;
    if (last != NULL && last->kind == BLANK && last->quote == state->quotes && last->last == state->number - 1) {
        last->last = state->number;
        return;
    }
    Leaf blank = new_leaf(state, BLANK, state->number, state->open - state->quotes, state->quotes);
    add(state, &blank);
}

bool has_no_text(const Scan *state, const Leaf *block) {
    return block->lines == 0 || (block->lines == 1 && state->content[block->content].length == 0);
}

/* Whether nothing stands in the item yet but its marker: a blank line then ends it. */
bool is_empty(const Scan *state, size_t container) {
    if (state->has_leaf || container + 1 != state->open || state->count == 0) return false;
    const Leaf *last = &state->blocks[state->count - 1];
    return last->kind == ITEM && last->first == state->stack[container].line && has_no_text(state, last);
}

void scan_free(Scan *state) {
    PyMem_Free(state->blocks);
    PyMem_Free(state->content);
    PyMem_Free(state->lines);
    arena_free(&state->arena);
    *state = (Scan){0};
}
