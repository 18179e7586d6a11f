/* The line scanner of scanner.py: each line is matched against the open containers, then against block starts, and
   else continues the open leaf. Any text is valid Markdown: only memory can fail. */
#include "markdown.h"

/* A line whose tabs were expanded where they matter. Places in it only ever grow. */
typedef struct {
    Slice text;
    size_t tail; /* blanks from here on */
    size_t next; /* the first sign but a space, at or behind the place that was asked for last */
} Line;

static size_t indent_at(Line *line, size_t at) {
    if (line->next < at) line->next = at;
    while (line->next < line->text.length && line->text.at[line->next] == ' ') line->next++;
    return line->next - at;
}

/* Whether nothing stands behind the place that `indent_at` was asked for. */
static bool is_rest_blank(const Line *line) { return line->next >= line->tail; }

static char sign_at(const Line *line, size_t at) { return at < line->text.length ? line->text.at[at] : 0; }

static size_t prefix_of(Slice text) {
    size_t at = 0;
    while (at < text.length && text.at[at] != 0 && strchr(" \t>*+-0123456789.)#", text.at[at]) != NULL) at++;
    return at;
}

/* With the tabs before its text as spaces. */
static Slice expanded(Scan *state, Slice text) {
    size_t end = prefix_of(text), length = 0;
    if (!has((Slice){text.at, end}, "\t", 1)) return text;
    char *copy = arena_take(&state->arena, 4 * end + (text.length - end));
    if (copy == NULL) {
        state->failed = true;
        return text;
    }
    for (size_t at = 0; at < end; at++) {
        size_t width = text.at[at] == '\t' ? 4 - length % 4 : 1;
        memset(copy + length, text.at[at] == '\t' ? ' ' : text.at[at], width);
        length += width;
    }
    memcpy(copy + length, text.at + end, text.length - end);
    return (Slice){copy, length + text.length - end};
}

static Line line_of(Scan *state, Slice text) {
    Line line = {.text = expanded(state, text)};
    line.tail = line.text.length;
    while (line.tail > 0 && is_blank_sign(line.text.at[line.tail - 1])) line.tail--;
    return line;
}

static bool is_text(Kind kind) { return kind == PARAGRAPH || kind == ITEM || kind == QUOTE; }

/* -- containers ---------------------------------------------------------------------------------------------- */

/* The number of containers that the line goes on with; `at` moves behind what belongs to them. */
static size_t match_containers(Scan *state, Line *line, size_t *at) {
    for (size_t matched = 0; matched < state->open; matched++) {
        const Container *container = &state->stack[matched];
        size_t indent = indent_at(line, *at), width = (size_t)container->width;
        if (container->width < 0) {
            if (indent > 3 || sign_at(line, line->next) != '>') return matched;
            *at += indent + 1;
            *at += sign_at(line, *at) == ' ';
        } else if (is_rest_blank(line)) {
            if (is_empty(state, matched)) return matched;
            *at += indent < width ? indent : width;
        } else if (indent >= width) {
            *at += width;
        } else {
            return matched;
        }
    }
    return state->open;
}

static bool ends_fence(const Leaf *fence, Slice inner, size_t indent) {
    Slice run = trimmed(inner);
    if (indent > 3 || run.length < fence->marker.length) return false;
    for (size_t at = 0; at < run.length; at++)
        if (run.at[at] != *fence->marker.at) return false;
    return true;
}

/* A line inside a fence or HTML block: it ends there or goes on. */
static void continue_raw(Scan *state, Line *line, size_t at) {
    Leaf *leaf = &state->leaf;
    size_t indent = indent_at(line, at);
    leaf->last = state->number;
    if (leaf->kind != FENCE && leaf->end == 0) {
        if (!is_rest_blank(line)) return;
        leaf->last--;
        close_leaf(state);
        add_blank(state);
        return;
    }
    Slice rest = from(line->text, at), inner = from(line->text, line->next);
    bool ends = leaf->kind == FENCE ? ends_fence(leaf, inner, indent) : html_ends(leaf->end, rest);
    if (!ends) return;
    leaf->closed = true;
    close_leaf(state);
}

/* -- block starts -------------------------------------------------------------------------------------------- */

/* The length of the list marker that `inner` begins with, 0 where it starts no item; `width` to the item's text. */
static size_t item_marker(Slice inner, bool interrupts, size_t *width) {
    size_t length = 0, number = 0, end;
    while (length < inner.length && length < 9 && inner.at[length] >= '0' && inner.at[length] <= '9')
        number = number * 10 + (size_t)(inner.at[length++] - '0');
    if (length == inner.length) return 0;
    char sign = inner.at[length];
    if (length > 0 ? sign != '.' && sign != ')' : sign != '*' && sign != '+' && sign != '-') return 0;
    if (length == 0) number = 1;
    length++;
    for (end = length; end < inner.length && inner.at[end] == ' ';) end++;
    bool blank = end == inner.length;
    if ((end == length && !blank) || (interrupts && (blank || number != 1))) return 0;
    *width = length + (blank || end - length > 4 ? 1 : end - length);
    return length;
}

/* A line that starts no block: blank, a table row, or a paragraph's text. */
static void add_text(Scan *state, Slice inner, bool blank, size_t matched, Leaf *pending) {
    bool whole = matched == state->open;
    if (blank) {
        if (is_open(state, INDENTED_CODE) && whole && pending == NULL) return;
        make_room(state, matched, pending);
        if (pending != NULL) return;
        close_leaf(state);
        add_blank(state);
        return;
    }
    if (state->has_leaf && pending == NULL && (is_text(state->leaf.kind) || (state->leaf.kind == TABLE && whole))) {
        add_content(state, inner);
        state->leaf.last = state->number;
        return;
    }
    drop(state, matched);
    if (pending == NULL) {
        start(state, state->quotes > 0 ? QUOTE : PARAGRAPH);
    } else {
        close_leaf(state);
        state->leaf = *pending;
        state->leaf.content = state->content_count;
        state->has_leaf = true;
        if (inner.length > 2 && *inner.at == '[' && inner.at[2] == ']' && memchr(" xX", inner.at[1], 3) != NULL &&
            (inner.length == 3 || is_blank_sign(inner.at[3]))) {
            state->leaf.checked = inner.at[1] != ' ';
            for (inner = from(inner, 3); inner.length > 0 && is_blank_sign(*inner.at);) inner = from(inner, 1);
        }
    }
    add_content(state, inner);
}

static bool is_starter(char sign) { return sign != 0 && strchr("#`~>*+-_=<0123456789|:", sign) != NULL; }

static void open_blocks(Scan *state, Line *line, size_t at, size_t matched) {
    Leaf item, *pending = NULL;
    for (;;) {
        size_t indent = indent_at(line, at), width, marker;
        if (is_rest_blank(line)) break;
        Slice inner = from(line->text, line->next);
        bool whole = matched == state->open, continues = state->has_leaf && is_text(state->leaf.kind);
        if (indent >= 4) {
            if (continues) break;
            make_room(state, matched, pending);
            if (is_open(state, INDENTED_CODE))
                state->leaf.last = state->number;
            else
                start(state, INDENTED_CODE);
            return;
        }
        if (!is_starter(*inner.at) || matched >= NESTED) break;
        if (*inner.at == '>') {
            drop(state, matched);
            close_leaf(state);
            if (pending != NULL) add_empty_item(state, pending);
            pending = NULL;
            push_container(state, -1);
            matched++;
            at += indent + 1;
            at += sign_at(line, at) == ' ';
            continue;
        }
        if (open_leaf(state, inner, continues && whole, matched, pending, continues)) return;
        marker = item_marker(inner, continues && whole, &width);
        if (marker == 0) break;
        drop(state, matched);
        close_leaf(state);
        if (pending != NULL) add_empty_item(state, pending);
        push_container(state, (ptrdiff_t)(indent + width));
        matched++;
        item = new_leaf(state, ITEM, state->number, state->open - state->quotes - 1, state->quotes);
        item.marker = (Slice){inner.at, marker};
        item.indent = line->next;
        pending = &item;
        at += indent + width;
        if (at > line->text.length) at = line->text.length;
    }
    add_text(state, from(line->text, line->next), is_rest_blank(line), matched, pending);
}

/* -- lines --------------------------------------------------------------------------------------------------- */

static void feed(Scan *state, Slice text) {
    if (quick(state, text)) return;
    Line line = line_of(state, text);
    size_t at = 0, matched = match_containers(state, &line, &at);
    bool is_raw = is_open(state, FENCE) || is_open(state, HTML) || is_open(state, COMMENT);
    if (is_raw && matched == state->open)
        continue_raw(state, &line, at);
    else
        open_blocks(state, &line, at, matched);
}

/* Fills a `state` of zeros with the lines and blocks of `text`. */
void scan(Scan *state, Slice text) {
    if (!cut_lines(state, text)) return;
    size_t skip = front_matter(state);
    if (skip > 0) {
        Leaf block = new_leaf(state, FRONT_MATTER, 1, 0, 0);
        block.last = skip;
        add(state, &block);
    }
    for (size_t at = skip; at < state->line_count && !state->failed; at++) {
        state->number = at + 1;
        feed(state, at == 0 ? without_mark(state->lines[at]) : state->lines[at]);
    }
    state->number = state->line_count + 1;
    close_leaf(state);
}
