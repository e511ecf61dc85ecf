"""Dicts whose copies share entries: they are dicts, and copies cost little."""

from random import Random

from groups.core.values import SharedDict, may_differ


def test_it_behaves_as_a_dict_through_any_sequence_of_changes_and_copies() -> None:
    for seed in range(40):
        rng = Random(seed)
        entries = dict.fromkeys(range(rng.choice([0, 3, 90])), 0)
        versions = [(SharedDict(entries), dict(entries))]
        for value in range(300):
            shared, plain = versions[rng.randrange(len(versions))]
            key = rng.randrange(100)
            match rng.randrange(6):
                case 0:
                    shared[key] = plain[key] = value
                case 1:
                    assert shared.pop(key, None) == plain.pop(key, None)
                case 2:
                    assert shared.setdefault(key, value) == plain.setdefault(key, value)
                case 3 if value % 50 == 0:
                    shared.clear()
                    plain.clear()
                case 4:
                    versions.append((shared.copy(), plain.copy()))
                    del versions[:-5]
            for shared, plain in versions:
                assert list(shared) == list(plain) and len(shared) == len(plain)
                assert list(shared.items()) == list(plain.items()) and shared == plain
                assert list(shared.values()) == list(plain.values())
                assert (key in shared) is (key in plain) and shared.get(key) == plain.get(key)
                assert list(shared.keys()) == list(plain.keys())


def test_keys_touched_since_the_copy_are_known() -> None:
    before = SharedDict({"a": 1, "b": 2})
    assert before.touched is None
    after = before.copy()
    assert after.touched == set()
    after["c"] = 3
    del after["a"]
    after["b"] = 2
    assert after.touched == {"a", "b", "c"}
    assert after.copy().touched == set()
    cleared = after.copy()
    cleared.clear()
    assert cleared.touched is None
    assert dict(before) == {"a": 1, "b": 2}


class Counted(dict[int, int]):
    """Counts the entries that are copied."""

    copied = 0

    def copy(self) -> "Counted":
        Counted.copied += len(self)
        return Counted(self)


def test_ten_thousand_copies_with_one_more_entry_copy_few_entries() -> None:
    """Plain dicts would copy fifty million."""
    Counted.copied = 0
    shared: SharedDict[int, int] = SharedDict()
    shared._base, shared._over = Counted(), Counted()
    for key in range(10_000):
        shared = shared.copy()
        shared[key] = key
    assert len(shared) == 10_000
    assert 0 < Counted.copied < 10_000 * 250


def test_the_differing_keys_of_copies_are_few_and_include_every_change() -> None:
    base = SharedDict(dict.fromkeys(range(90), 0))
    before, after = base.copy(), base.copy()
    before[1], after[2] = 1, 2
    assert set(may_differ(before, after)) == {1, 2}
    for one, other in (({1: 1, 2: 2}, {2: 2, 3: 3}), (base, {1: 1}), (base, SharedDict({99: 1}))):
        assert sorted(may_differ(one, other)) == sorted({*one, *other})
