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
    Slice rest = from(line->text, at);
    if (leaf->kind == FENCE ? !ends_fence(leaf, from(line->text, line->next), indent) : !html_ends(leaf->end, rest)) return;
    leaf->closed = true;
    close_leaf(state);
}

/* -- block starts -------------------------------------------------------------------------------------------- */

/* Closes what the line does not go on with, and puts the item before this block, which turned out to be empty. */
static void make_room(Scan *state, size_t matched, const Leaf *pending) {
    drop(state, matched);
    if (pending == NULL) return;
    close_leaf(state);
    add_empty_item(state, pending);
}

/* Gives an item's text its task box back: what it starts turned out to be no item's text. */
static void unbox(Scan *state) {
    Leaf *leaf = &state->leaf;
    if (leaf->checked < 0) return;
    Slice *first = &state->content[leaf->content];
    char *copy = arena_take(&state->arena, first->length + 4);
    if (copy == NULL) {
        state->failed = true;
        return;
    }
    memcpy(copy, leaf->checked ? "[x] " : "[ ] ", 4);
    memcpy(copy + 4, first->at, first->length);
    *first = (Slice){copy, first->length + 4};
    leaf->checked = -1;
}

static bool is_underline(Slice inner) {
    size_t at = 0;
    while (at < inner.length && inner.at[at] == *inner.at) at++;
    return trimmed(from(inner, at)).length == 0;
}

/* The open paragraph becomes a heading. */
static void make_heading(Scan *state, unsigned char level) {
    unbox(state);
    Leaf heading = state->leaf;
    if (heading.kind == ITEM) add_empty_item(state, &heading);
    heading.depth += heading.kind == ITEM;
    heading.kind = HEADING;
    heading.level = level;
    heading.last = state->number;
    heading.indent = 0;
    heading.marker = (Slice){0};
    Slice *first = &state->content[heading.content], *last = first + heading.lines - 1;
    while (first->length > 0 && is_blank_sign(*first->at)) *first = from(*first, 1);
    while (last->length > 0 && is_blank_sign(last->at[last->length - 1])) last->length--;
    add(state, &heading);
    state->has_leaf = false;
}

/* The last line of the open paragraph becomes the header of a table. */
static void make_table(Scan *state) {
    Leaf paragraph = state->leaf, *table = &state->leaf;
    size_t header = --paragraph.lines + paragraph.content, depth = paragraph.depth + (paragraph.kind == ITEM);
    paragraph.last = state->number - 2;
    if (paragraph.lines > 0) {
        add(state, &paragraph);
    } else if (paragraph.kind == ITEM) {
        paragraph.checked = -1; /* the box is a part of the header's text */
        add_empty_item(state, &paragraph);
    }
    *table = new_leaf(state, TABLE, state->number - 1, depth, paragraph.quote);
    table->content = header;
    table->lines = 1;
    table->last = state->number;
}

/* A setext underline or a table's delimiter row below the open paragraph. */
static bool underline(Scan *state, Slice inner) {
    char first = *inner.at;
    if ((first == '=' || first == '-') && is_underline(inner)) {
        make_heading(state, first == '=' ? 1 : 2);
        return true;
    }
    if (first != '|' && first != ':' && first != '-') return false;
    if (first == '-' && inner.length > 1 && inner.at[1] == ' ') return false;
    Slice header = state->content[state->leaf.content + state->leaf.lines - 1];
    if (!has(header, "|", 1) || !is_delimiter(inner) || count_cells(header) != count_cells(inner)) return false;
    if (trimmed(header).length == 1) return false;
    make_table(state);
    return true;
}

static bool is_rule(Slice inner) {
    size_t count = 0;
    for (size_t at = 0; at < inner.length; at++) {
        if (inner.at[at] == *inner.at)
            count++;
        else if (!is_blank_sign(inner.at[at]))
            return false;
    }
    return count > 2;
}

/* Opens a block that cannot hold others. False where `inner` starts none. */
static bool open_leaf(Scan *state, Slice inner, bool has_paragraph, size_t matched, const Leaf *pending, bool has_text) {
    if (has_paragraph && underline(state, inner)) return true;
    char first = *inner.at;
    Slice marker, info;
    size_t level;
    int html;
    if (first == '#' && (level = atx_level(inner)) > 0) {
        make_room(state, matched, pending);
        start(state, HEADING);
        state->leaf.level = (unsigned char)level;
        add_content(state, title_of(inner, level));
        close_leaf(state);
    } else if ((first == '`' || first == '~') && is_fence(inner, &marker, &info)) {
        make_room(state, matched, pending);
        start(state, FENCE);
        state->leaf.closed = false;
        state->leaf.marker = marker;
        state->leaf.info = info;
    } else if (first == '<' && (html = html_start(inner, has_text)) > 0) {
        make_room(state, matched, pending);
        start(state, html == 2 ? COMMENT : HTML);
        state->leaf.end = (unsigned char)html_end(html);
        state->leaf.closed = state->leaf.end == 0 || html_ends(html, inner);
        if (state->leaf.end != 0 && state->leaf.closed) close_leaf(state);
    } else if ((first == '*' || first == '-' || first == '_') && is_rule(inner)) {
        make_room(state, matched, pending);
        start(state, RULE);
        close_leaf(state);
    } else {
        return false;
    }
    return true;
}

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
    bool raw = state->has_leaf && (state->leaf.kind == FENCE || state->leaf.kind == HTML || state->leaf.kind == COMMENT);
    if (raw && matched == state->open)
        continue_raw(state, &line, at);
    else
        open_blocks(state, &line, at, matched);
}

static Slice without_mark(Slice text) {
    return text.length > 2 && memcmp(text.at, "\xEF\xBB\xBF", 3) == 0 ? from(text, 3) : text;
}

/* Whether a line is three of `sign`, and nothing else but blanks behind. */
static bool is_edge(Slice text, char sign) {
    return text.length > 2 && text.at[0] == sign && text.at[1] == sign && text.at[2] == sign &&
           trimmed(from(text, 3)).length == 0;
}

/* Whether a line is `key:` and perhaps a value. */
static bool is_key(Slice text) {
    const char *end = text.at + text.length;
    if (text.length == 0 || memchr("#-[{>|*&!%@`:", *text.at, 13) != NULL || space_at(text.at, end) > 0) return false;
    const char *colon = memchr(text.at + 1, ':', text.length - 1);
    return colon != NULL && (colon + 1 == end || space_at(colon + 1, end) > 0);
}

/* The number of lines that the front matter takes, as front_matter.py counts them. */
static size_t front_matter(const Scan *state) {
    if (state->line_count == 0 || !is_edge(without_mark(state->lines[0]), '-')) return 0;
    bool spoken = false;
    for (size_t at = 1; at < state->line_count; at++) {
        Slice text = state->lines[at];
        if (is_edge(text, '-') || is_edge(text, '.')) return at + 1;
        if (spoken || text.length == 0 || *text.at == '#' || is_space(text)) continue;
        if (!is_key(text)) return 0;
        spoken = true;
    }
    return 0;
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
