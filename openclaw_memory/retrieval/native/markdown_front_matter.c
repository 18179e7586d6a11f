/* Where front matter ends, as front_matter.py tells. */
#include "markdown.h"

/* Without the mark of the byte order. */
Slice without_mark(Slice text) {
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
size_t front_matter(const Scan *state) {
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
