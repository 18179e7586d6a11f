from openclaw_memory.tokens import Size, measure, utf16_units


def test_utf16_units_are_javascripts_length():
    assert [utf16_units(text) for text in ("", "abc", "é", "中文", "👤", "👩‍💻", "\ufeffx")] == [0, 3, 1, 2, 2, 5, 2]


def test_bytes_that_are_no_utf8_are_one_unit_and_one_byte():
    text = b"a\xff\xfe".decode("utf-8", "surrogateescape")
    assert (utf16_units(text), measure(text).bytes) == (3, 3)


def test_measure_and_sum():
    total = measure("的👤") + measure("the cat")
    assert (total.bytes, total.utf16) == (3 + 4 + 7, 3 + 7)
    assert total.to_json() == {"bytes": 14, "utf16": 10, "tokens": total.tokens}
    assert Size(1, 2, 3) + Size(10, 20, 30) == Size(11, 22, 33)
