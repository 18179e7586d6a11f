/* Memory, rows and the table of `speed.h`. */
#include "speed.h"

#define BLOCK_SIZE ((size_t)1 << 16)
#define FIRST_BITS 12

struct Block {
    Block *next;
    size_t used, size;
    uint64_t data[];
};

void *arena_take(Arena *arena, size_t size) {
    size = (size + 7) & ~(size_t)7;
    Block *block = arena->blocks;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = PyMem_Malloc(sizeof(Block) + room);
        if (block == NULL) return NULL;
        *block = (Block){.next = arena->blocks, .used = 0, .size = room};
        arena->blocks = block;
    }
    void *found = (char *)block->data + block->used;
    block->used += size;
    return found;
}

void arena_free(Arena *arena) {
    while (arena->blocks != NULL) {
        Block *next = arena->blocks->next;
        PyMem_Free(arena->blocks);
        arena->blocks = next;
    }
}

bool row_reserve(Row *row, size_t more) {
    if (row->room - row->count >= more) return true;
    size_t room = row->room + row->room / 2 + more + 64;
    uint32_t *at = PyMem_Realloc(row->at, room * sizeof *at);
    if (at == NULL) return false;
    row->at = at;
    row->room = room;
    return true;
}

bool row_push(Row *row, uint32_t number) {
    if (!row_reserve(row, 1)) return false;
    row->at[row->count++] = number;
    return true;
}

void row_free(Row *row) {
    PyMem_Free(row->at);
    *row = (Row){0};
}

#define SHORT 8 /* keys of fewer bytes fit into a tag, their length in the byte that is left */
static const uint64_t ODD = 0x9E3779B97F4A7C15u; /* 2^64 / golden ratio: spreads neighbours (Knuth, TAOCP 6.4) */

static uint64_t tag_of(uint64_t seed, const char *key, size_t length) {
    uint64_t rest = 0;
    if (length < SHORT) {
        memcpy(&rest, key, length);
        return rest | (uint64_t)length << 56;
    }
    uint64_t hash = seed ^ length;
    for (; length >= SHORT; key += SHORT, length -= SHORT) {
        uint64_t word;
        memcpy(&word, key, SHORT);
        hash = (hash ^ word) * ODD;
        hash ^= hash >> 29;
    }
    memcpy(&rest, key, length);
    hash = (hash ^ rest) * ODD;
    return (hash ^ hash >> 32) | (uint64_t)SHORT << 56;
}

/* Where a tag belongs: the top bits of the product, which hang on all bits of the tag. */
static size_t home(const Table *table, uint64_t tag) { return (tag ^ table->seed) * ODD >> (64 - table->bits); }

static size_t slots_of(const Table *table) { return (size_t)1 << table->bits; }

static bool holds(const Table *table, Slot slot, uint64_t tag, const char *key, size_t length) {
    if (slot.tag != tag) return false;
    const Entry *entry = &table->entries[slot.place - 1];
    return length < SHORT || (entry->length == length && memcmp(entry->key, key, length) == 0);
}

/* The slot that holds `key`, or the free one where it belongs. There is always a free one. */
static Slot *slot_of(const Table *table, uint64_t tag, const char *key, size_t length) {
    size_t at = home(table, tag);
    while (table->slots[at].place != 0 && !holds(table, table->slots[at], tag, key, length))
        at = (at + 1) & (slots_of(table) - 1);
    return &table->slots[at];
}

static bool grow(Table *table) {
    Slot *old = table->slots;
    size_t held = old == NULL ? 0 : slots_of(table), size = old == NULL ? (size_t)1 << FIRST_BITS : held * 2;
    Slot *fresh = PyMem_Calloc(size, sizeof *fresh);
    Entry *entries = PyMem_Realloc(table->entries, size / 4 * 3 * sizeof *entries);
    if (entries != NULL) table->entries = entries;
    if (fresh == NULL || entries == NULL) {
        PyMem_Free(fresh);
        return false;
    }
    table->slots = fresh;
    table->bits = old == NULL ? FIRST_BITS : table->bits + 1;
    table->room = size / 4 * 3;
    for (size_t from = 0; from < held; from++) {
        if (old[from].place == 0) continue;
        size_t at = home(table, old[from].tag);
        while (fresh[at].place != 0) at = (at + 1) & (size - 1);
        fresh[at] = old[from];
    }
    PyMem_Free(old);
    return true;
}

const Entry *table_find(const Table *table, const char *key, size_t length) {
    if (table->slots == NULL) return NULL;
    uint32_t place = slot_of(table, tag_of(table->seed, key, length), key, length)->place;
    return place == 0 ? NULL : &table->entries[place - 1];
}

size_t table_place(Table *table, const char *key, size_t length) {
    if (table->count == table->room && !grow(table)) return NO_MEMORY;
    uint64_t tag = tag_of(table->seed, key, length);
    Slot *slot = slot_of(table, tag, key, length);
    if (slot->place != 0) return slot->place - 1;
    char *copy = arena_take(&table->arena, length);
    if (copy == NULL) return NO_MEMORY;
    memcpy(copy, key, length);
    table->entries[table->count] = (Entry){.key = copy, .length = (uint32_t)length};
    *slot = (Slot){tag, (uint32_t)table->count + 1};
    return table->count++;
}

bool table_set(Table *table, size_t place, const uint32_t *numbers, size_t count) {
    Entry *entry = &table->entries[place];
    if (count == 1) {
        entry->numbers.one = *numbers;
    } else if (count > 1) {
        uint32_t *copy = arena_take(&table->arena, count * sizeof *copy);
        if (copy == NULL) return false;
        memcpy(copy, numbers, count * sizeof *copy);
        entry->numbers.many = copy;
    }
    entry->count = (uint32_t)count;
    return true;
}

void table_free(Table *table) {
    PyMem_Free(table->entries);
    PyMem_Free(table->slots);
    arena_free(&table->arena);
    *table = (Table){.seed = table->seed};
}
