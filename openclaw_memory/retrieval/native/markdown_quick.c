/* The commonest lines, which need no look at containers, as quick.py takes them. */
#include "markdown.h"

size_t atx_level(Slice text) {
    size_t level = 0;
    while (level < text.length && text.at[level] == '#') level++;
    return level <= 6 && (level == text.length || is_blank_sign(text.at[level])) ? level : 0;
}

/* What stands behind `level` hashes, without hashes that close it. */
Slice title_of(Slice text, size_t level) {
    Slice title = trimmed(from(text, level));
    size_t length = title.length;
    while (length > 0 && title.at[length - 1] == '#') length--;
    if (length == 0 || is_blank_sign(title.at[length - 1])) title.length = length;
    return trimmed(title);
}

/* Whether a line that begins with a backtick or tilde opens a fence. */
bool is_fence(Slice text, Slice *marker, Slice *info) {
    size_t run = 0;
    while (run < text.length && text.at[run] == *text.at) run++;
    if (run < 3) return false;
    Slice rest = from(text, run);
    if (*text.at == '`' && has(rest, "`", 1)) return false;
    *marker = (Slice){text.at, run};
    *info = trimmed(rest);
    return true;
}

/* Whether the marker that opened a fence stands somewhere in a line. */
static bool has_run(Slice text, Slice marker) {
    const char *at = text.at, *end = text.at + text.length;
    while ((at = memchr(at, *marker.at, (size_t)(end - at))) != NULL) {
        const char *run = at;
        while (at < end && *at == *marker.at) at++;
        if ((size_t)(at - run) >= marker.length) return true;
    }
    return false;
}

/* A line of an outermost block that takes all lines as they are until it ends. */
static bool quick_verbatim(Scan *state, Slice text) {
    Leaf *leaf = &state->leaf;
    bool inside = false;
    switch (leaf->kind) {
    case FENCE:
        if (text.length == leaf->marker.length && memcmp(text.at, leaf->marker.at, text.length) == 0) {
            leaf->last = state->number;
            leaf->closed = true;
            close_leaf(state);
            return true;
        }
        inside = !has_run(text, leaf->marker);
        break;
    case TABLE:
        inside = text.length > 0 && *text.at == '|';
        if (inside) add_content(state, text);
        break;
    case INDENTED_CODE:
        if (text.length == 0) return true;
        inside = text.length > 4 && memcmp(text.at, "    ", 4) == 0 && !is_space(text);
        break;
    default: /* HTML */
        inside = text.length > 0 && !(leaf->end == 0 ? is_space(text) : html_ends(leaf->end, text));
    }
    if (inside) leaf->last = state->number;
    return inside;
}

static bool quick_blank(Scan *state) {
    if (state->has_leaf && state->leaf.kind != PARAGRAPH && state->leaf.kind != ITEM) return false;
    if (state->quotes > 0 || (state->open > 0 && is_empty(state, state->open - 1))) return false;
    close_leaf(state);
    add_blank(state);
    return true;
}

static bool quick_text(Scan *state, Slice text) {
    if (!state->has_leaf)
        start(state, PARAGRAPH);
    else if (state->leaf.kind != PARAGRAPH)
        return false;
    add_content(state, text);
    state->leaf.last = state->number;
    return true;
}

/* Whether a line is a bullet and text that starts no block. */
static bool is_plain_item(Slice text) {
    if (text.length < 3 || text.at[1] != ' ') return false;
    const char *at = text.at + 2, *end = text.at + text.length;
    size_t left = text.length - 2;
    switch (*at) {
    case '[': return left < 3 || at[2] != ']' || memchr(" xX", at[1], 3) == NULL;
    case '`': return left < 3 || at[1] != '`' || at[2] != '`';
    case '*':
    case '_': {
        char sign = *at;
        while (at < end && *at == sign) at++;
        return at < end && space_at(at, end) == 0;
    }
    case '#': case '~': case '>': case '+': case '-': case '=': case '<': case '|': case ':': return false;
    default: return !(*at >= '0' && *at <= '9') && space_at(at, end) == 0;
    }
}

/* An item of the outermost list. It fits no open container, so it ends them all. */
static bool quick_item(Scan *state, Slice text) {
    if (!is_plain_item(text)) return false;
    close_leaf(state);
    state->open = state->quotes = 0;
    push_container(state, 2);
    state->leaf = new_leaf(state, ITEM, state->number, 0, 0);
    state->leaf.marker = (Slice){text.at, 1};
    state->has_leaf = true;
    add_content(state, from(text, 2));
    return true;
}

static bool quick_heading(Scan *state, Slice text) {
    size_t level = atx_level(text);
    if (level == 0 || has(text, "\t", 1)) return false;
    close_leaf(state);
    state->open = state->quotes = 0;
    start(state, HEADING);
    state->leaf.level = (unsigned char)level;
    add_content(state, title_of(text, level));
    close_leaf(state);
    return true;
}

static bool quick_fence(Scan *state, Slice text) {
    Slice marker, info;
    if (!is_fence(text, &marker, &info) || has(text, "\t", 1)) return false;
    close_leaf(state);
    state->open = state->quotes = 0;
    start(state, FENCE);
    state->leaf.closed = false;
    state->leaf.marker = marker;
    state->leaf.info = info;
    return true;
}

static bool is_verbatim(Kind kind) {
    return kind == FENCE || kind == HTML || kind == COMMENT || kind == TABLE || kind == INDENTED_CODE;
}

/* Takes a line of a plain form; false where the whole algorithm must look at it. */
bool quick(Scan *state, Slice text) {
    if (state->has_leaf && state->open == 0 && is_verbatim(state->leaf.kind)) return quick_verbatim(state, text);
    if (text.length == 0) return quick_blank(state);
    switch (*text.at) {
    case '*': case '+': case '-': return quick_item(state, text);
    case '#': return quick_heading(state, text);
    case '`':
        if (text.length >= 3 && text.at[1] == '`' && text.at[2] == '`') return quick_fence(state, text);
        return state->open == 0 && quick_text(state, text);
    case '~': case '>': case '_': case '=': case '<': case '|': case ':': case ' ': case '\t': case '.': case ')':
    case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9': return false;
    default: return state->open == 0 && quick_text(state, text);
    }
}
