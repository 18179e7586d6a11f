/* CommonMark's seven kinds of HTML block, as html.py knows them. */
#include "markdown.h"

#define LONGEST_TAG 10

static const char *const VERBATIM[] = {"script", "pre", "style", "textarea", NULL};
static const char *const TAGS[] = {
    "address",  "article", "aside",    "base",     "basefont", "blockquote", "body",    "caption", "center",
    "col",      "colgroup", "dd",      "details",  "dialog",   "dir",        "div",     "dl",      "dt",
    "fieldset", "figcaption", "figure", "footer",  "form",     "frame",      "frameset", "h1",     "h2",
    "h3",       "h4",      "h5",       "h6",       "head",     "header",     "hr",      "html",    "iframe",
    "legend",   "li",      "link",     "main",     "menu",     "menuitem",   "nav",     "noframes", "ol",
    "optgroup", "option",  "p",        "param",    "search",   "section",    "summary", "table",   "tbody",
    "td",       "tfoot",   "th",       "thead",    "title",    "tr",         "track",   "ul",      NULL,
};

static bool is_letter(char sign) { return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z'); }
static bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }

/* The small letter or digit that a pattern without regard to case takes the next sign for, 0 for any other. */
static char folded(const char *at, const char *end, size_t *size) {
    static const struct {
        char sign[4], as;
    } other[] = {{"\xC5\xBF", 's'}, {"\xE2\x84\xAA", 'k'}, {"\xC4\xB0", 'i'}, {"\xC4\xB1", 'i'}};
    if (at == end) return 0;
    *size = 1;
    if (is_digit(*at)) return *at;
    if (is_letter(*at)) return (char)(*at | 0x20);
    for (size_t one = 0; one < sizeof other / sizeof *other; one++) {
        *size = strlen(other[one].sign);
        if ((size_t)(end - at) >= *size && memcmp(at, other[one].sign, *size) == 0) return other[one].as;
    }
    return 0;
}

/* Where the name at `at` ends if it is one of `names`, else NULL. */
static const char *after_name(const char *at, const char *end, const char *const *names) {
    char name[LONGEST_TAG + 1];
    size_t length = 0, size;
    for (char sign; (sign = folded(at, end, &size)) != 0; at += size) {
        if (length == LONGEST_TAG) return NULL;
        name[length++] = sign;
    }
    name[length] = 0;
    while (*names != NULL && strcmp(*names, name) != 0) names++;
    return *names == NULL ? NULL : at;
}

static const char *skip_space(const char *at, const char *end) {
    for (size_t size; (size = space_at(at, end)) > 0;) at += size;
    return at;
}

static bool starts(Slice text, const char *with) {
    size_t length = strlen(with);
    return text.length >= length && memcmp(text.at, with, length) == 0;
}

static bool is_verbatim(Slice text) {
    const char *end = text.at + text.length, *at = after_name(text.at + 1, end, VERBATIM);
    return at != NULL && (at == end || *at == '>' || space_at(at, end) > 0);
}

static bool is_block_tag(Slice text) {
    const char *end = text.at + text.length, *at = text.at + 1;
    if (at < end && *at == '/') at++;
    at = after_name(at, end, TAGS);
    if (at == NULL) return false;
    return at == end || *at == '>' || (*at == '/' && at + 1 < end && at[1] == '>') || space_at(at, end) > 0;
}

/* Where the value of an attribute ends whose name ends at `at`; `at` where it has none. */
static const char *after_value(const char *at, const char *end) {
    const char *value = skip_space(at, end);
    if (value == end || *value != '=') return at;
    value = skip_space(value + 1, end);
    if (value == end) return at;
    if (*value == '"' || *value == '\'') {
        const char *close = memchr(value + 1, *value, (size_t)(end - value - 1));
        return close == NULL ? at : close + 1;
    }
    const char *bare = value;
    while (bare < end && memchr("\"'=<>`", *bare, 6) == NULL && space_at(bare, end) == 0) bare++;
    return bare > value ? bare : at;
}

static bool is_name_sign(char sign) { return is_letter(sign) || sign == '_' || sign == ':'; }

static const char *after_attributes(const char *at, const char *end) {
    for (;;) {
        const char *name = skip_space(at, end);
        if (name == at || name == end || !is_name_sign(*name)) return at;
        while (name < end && (is_name_sign(*name) || is_digit(*name) || *name == '.' || *name == '-')) name++;
        at = after_value(name, end);
    }
}

/* A whole tag, and nothing but white space behind it. */
static bool is_lone_tag(Slice text) {
    const char *end = text.at + text.length, *at = text.at + 1;
    bool closing = at < end && *at == '/';
    at += closing;
    if (at == end || !is_letter(*at)) return false;
    while (at < end && (is_letter(*at) || is_digit(*at) || *at == '-')) at++;
    if (!closing) at = after_attributes(at, end);
    at = skip_space(at, end);
    if (!closing && at < end && *at == '/') at++;
    return at < end && *at == '>' && skip_space(at + 1, end) == end;
}

/* The number (1 to 7) of the kind of HTML block that `text`, which begins with `<`, starts; 0 for none. */
int html_start(Slice text, bool interrupts) {
    if (is_verbatim(text)) return 1;
    if (starts(text, "<!--")) return 2;
    if (starts(text, "<?")) return 3;
    if (starts(text, "<!") && text.length > 2 && is_letter(text.at[2])) return 4;
    if (starts(text, "<![CDATA[")) return 5;
    if (is_block_tag(text)) return 6;
    return !interrupts && is_lone_tag(text) ? 7 : 0;
}

int html_end(int number) { return number > 5 ? 0 : number; }

static bool has_verbatim_end(Slice text) {
    const char *end = text.at + text.length, *at = text.at;
    while ((at = memchr(at, '<', (size_t)(end - at))) != NULL) {
        at++;
        if (at == end || *at != '/') continue;
        const char *after = after_name(at + 1, end, VERBATIM);
        if (after != NULL && after < end && *after == '>') return true;
    }
    return false;
}

/* Whether the block of kind `number` (1 to 5) ends on a line. */
bool html_ends(int number, Slice text) {
    switch (number) {
    case 1: return has_verbatim_end(text);
    case 2: return has(text, "-->", 3);
    case 3: return has(text, "?>", 2);
    case 4: return has(text, ">", 1);
    default: return has(text, "]]>", 3);
    }
}
