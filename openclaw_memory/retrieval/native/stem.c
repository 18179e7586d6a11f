/* The stemmer of stem.py, rule by rule and by its own tables; tests hold the two together. */
#include "speed.h"

#include <stdlib.h>

typedef struct {
    char at[ROOM];
    size_t length;
} Word;

static bool is_vowel(char letter) { return strchr("aeiou", letter) != NULL; }
static bool ends(const Word *word, const char *ending, size_t size) {
    return word->length >= size && memcmp(word->at + word->length - size, ending, size) == 0;
}
#define ENDS(word, ending) ends(word, ending, sizeof(ending) - 1)

static char last(const Word *word) { return word->at[word->length - 1]; }

/* Porter's measure of the first `length` letters. */
static unsigned measure(const Word *word, size_t length) {
    unsigned found = 0;
    bool was = false;
    for (size_t at = 0; at < length; at++) {
        bool vowel = is_vowel(word->at[at]) || word->at[at] == 'y';
        found += was && !vowel;
        was = vowel;
    }
    return found;
}

static bool has_vowel(const Word *word, size_t length) {
    for (size_t at = 0; at < length; at++)
        if (is_vowel(word->at[at]) || (at > 0 && word->at[at] == 'y')) return true;
    return false;
}

/* Consonant, vowel, consonant at the end of the first `length` letters, the last none of w, x, y. */
static bool is_cvc(const Word *word, size_t length) {
    if (length < 3) return false;
    const char *end = word->at + length - 3;
    bool middle = is_vowel(end[1]) || end[1] == 'y';
    return !is_vowel(end[0]) && middle && !is_vowel(end[2]) && strchr("wxy", end[2]) == NULL;
}

static void put(Word *word, size_t keep, const Ending *ending) {
    memcpy(word->at + keep, ending->to, ending->to_length);
    word->length = keep + ending->to_length;
}

static const Ending *longest(const Word *word, const Endings *endings) {
    for (size_t at = 0; at < endings->count; at++) {
        const Ending *one = &endings->endings[at];
        if (one->from[one->length - 1] == last(word) && ends(word, one->from, one->length)) return one;
    }
    return NULL;
}

static bool romance(Word *word, const Endings *endings) {
    const Ending *found = longest(word, endings);
    if (found == NULL || word->length < found->length + found->least) return false;
    put(word, word->length - found->length, found);
    return true;
}

static void swap(Word *word, const Endings *endings) {
    const Ending *found = longest(word, endings);
    if (found != NULL && measure(word, word->length - found->length) >= found->least)
        put(word, word->length - found->length, found);
}

static void plural(Word *word) {
    if (ENDS(word, "sses") || ENDS(word, "ies"))
        word->length -= 2;
    else if (!ENDS(word, "ss") && !ENDS(word, "us") && !ENDS(word, "is"))
        word->length -= 1;
}

static void mend(Word *word) {
    char end = last(word);
    if (ENDS(word, "at") || ENDS(word, "bl") || ENDS(word, "iz"))
        word->at[word->length++] = 'e';
    else if (end == word->at[word->length - 2] && strchr("aeiouylsz", end) == NULL)
        word->length -= 1;
    else if (measure(word, word->length) == 1 && is_cvc(word, word->length))
        word->at[word->length++] = 'e';
}

static void past(Word *word) {
    if (ENDS(word, "eed")) {
        if (measure(word, word->length - 3) > 0) word->length -= 1;
        return;
    }
    size_t size = ENDS(word, "ed") ? 2 : ENDS(word, "ing") ? 3 : 0;
    size_t base = size > 0 ? word->length - size : 0;
    if (base > 1 && has_vowel(word, base)) {
        word->length = base;
        mend(word);
    }
}

static void porter(Word *word, const Rules *rules) {
    if (last(word) == 's') plural(word);
    if (last(word) == 'd' || last(word) == 'g') past(word);
    if (last(word) == 'y' && has_vowel(word, word->length - 1)) word->at[word->length - 1] = 'i';
    if (word->length == 3) { /* tries, buying: as try and buy, which stay */
        if (last(word) == 'i') word->at[2] = 'y';
        return;
    }
    if (word->length > 5) {
        swap(word, &rules->step2);
        swap(word, &rules->step3);
        swap(word, &rules->step4);
        if ((ENDS(word, "sion") || ENDS(word, "tion")) && measure(word, word->length - 3) > 1) word->length -= 3;
    }
    if (last(word) == 'e') {
        unsigned before = measure(word, word->length - 1);
        if (before > 1 || (before == 1 && !is_cvc(word, word->length - 1))) word->length -= 1;
    } else if (ENDS(word, "ll") && measure(word, word->length) > 1) {
        word->length -= 1;
    }
}

static bool is_letters(const Word *word) {
    for (size_t at = 0; at < word->length; at++)
        if (word->at[at] < 'a' || word->at[at] > 'z') return false;
    return true;
}

/* Puts the word that `word` is an irregular form of in its place. */
static void make_regular(const Rules *rules, Word *word) {
    const Entry *found = table_find(&rules->irregular, word->at, word->length);
    if (found == NULL) return;
    word->length = found->count;
    for (size_t at = 0; at < found->count; at++) word->at[at] = (char)numbers_of(found)[at];
}

size_t stem(const Rules *rules, const char *text, size_t length, char *found) {
    Word word = {.length = length};
    memcpy(word.at, text, length);
    make_regular(rules, &word);
    if (word.length >= 4 && is_letters(&word)) {
        if (!romance(&word, &rules->romance)) porter(&word, rules);
        while (word.length > 4 && strchr("aeo", last(&word)) != NULL) word.length--;
    }
    memcpy(found, word.at, word.length);
    return word.length;
}

static int by_length(const void *left, const void *right) {
    return (int)((const Ending *)right)->length - (int)((const Ending *)left)->length;
}

static bool read_part(PyObject *text, char *to, uint32_t *length) {
    Py_ssize_t size;
    const char *from = PyUnicode_AsUTF8AndSize(text, &size);
    if (from == NULL) return false;
    if (size >= (Py_ssize_t)sizeof ((Ending *)0)->from) {
        PyErr_SetString(PyExc_ValueError, "an ending is too long");
        return false;
    }
    memcpy(to, from, (size_t)size + 1);
    *length = (uint32_t)size;
    return true;
}

/* {ending: (what it becomes, shortest stem left)}. */
static bool read_endings(Endings *endings, PyObject *table) {
    PyObject *ending, *value;
    Py_ssize_t at = 0;
    if (!PyDict_Check(table)) {
        PyErr_SetString(PyExc_TypeError, "endings are a dict");
        return false;
    }
    endings->endings = PyMem_Calloc((size_t)PyDict_Size(table) + 1, sizeof(Ending));
    if (endings->endings == NULL) {
        PyErr_NoMemory();
        return false;
    }
    while (PyDict_Next(table, &at, &ending, &value)) {
        Ending *one = &endings->endings[endings->count++];
        PyObject *to;
        if (!PyArg_ParseTuple(value, "UI", &to, &one->least)) return false;
        if (!read_part(ending, one->from, &one->length) || !read_part(to, one->to, &one->to_length)) return false;
        if (one->length == 0 || one->length < one->to_length || one->least == 0) {
            PyErr_SetString(PyExc_ValueError, "an ending makes a word longer, or takes all of it");
            return false;
        }
    }
    qsort(endings->endings, endings->count, sizeof(Ending), by_length);
    return true;
}

/* {form: word}. */
static bool read_irregular(Table *irregular, PyObject *table) {
    PyObject *form, *word;
    Py_ssize_t at = 0;
    while (PyDict_Next(table, &at, &form, &word)) {
        Py_ssize_t form_size, size;
        const char *from = PyUnicode_AsUTF8AndSize(form, &form_size);
        const char *to = from == NULL ? NULL : PyUnicode_AsUTF8AndSize(word, &size);
        uint32_t letters[LONGEST_PIECE];
        if (to == NULL) return false;
        if (size > LONGEST_PIECE) {
            PyErr_SetString(PyExc_ValueError, "a word is too long");
            return false;
        }
        for (Py_ssize_t letter = 0; letter < size; letter++) letters[letter] = (unsigned char)to[letter];
        size_t place = table_place(irregular, from, (size_t)form_size);
        if (place == NO_MEMORY || !table_set(irregular, place, letters, (size_t)size)) {
            PyErr_NoMemory();
            return false;
        }
    }
    return true;
}

bool rules_read(Rules *rules, PyObject *tables) {
    PyObject *irregular, *romance, *step2, *step3, *step4;
    if (!PyArg_ParseTuple(tables, "O!OOOO", &PyDict_Type, &irregular, &romance, &step2, &step3, &step4)) return false;
    return read_irregular(&rules->irregular, irregular) && read_endings(&rules->romance, romance) &&
           read_endings(&rules->step2, step2) && read_endings(&rules->step3, step3) &&
           read_endings(&rules->step4, step4);
}

void rules_free(Rules *rules) {
    table_free(&rules->irregular);
    PyMem_Free(rules->romance.endings);
    PyMem_Free(rules->step2.endings);
    PyMem_Free(rules->step3.endings);
    PyMem_Free(rules->step4.endings);
}
