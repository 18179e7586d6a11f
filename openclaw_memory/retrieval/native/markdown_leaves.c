/* Blocks that cannot hold others: how a line starts one, or makes one of the paragraph above it. */
#include "markdown.h"

/* Closes what the line does not go on with, and puts the item before this block, which turned out to be empty. */
void make_room(Scan *state, size_t matched, const Leaf *pending) {
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
bool open_leaf(Scan *state, Slice inner, bool has_paragraph, size_t matched, const Leaf *pending, bool has_text) {
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
