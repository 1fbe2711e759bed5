"""Run files of TREC: what becomes of them, and what is refused."""

import gzip

import numpy as np
import pytest
import wkendall

RUNS = """\
40 Q0 d3 1 2.5 bm25
40 Q0 d1 2 -1 bm25
40 Q0 d2 3 -1e1 bm25
41 Q0 d9 1 7 bm25
40 Q0 d2 2 0.5 dense
40 Q0 d4 1 0.5 dense
"""


def write(path, text):
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def by_definition(texts, by, depth):
    """For each topic the systems, and for each of them groups of tied documents, best first."""
    topics, systems = {}, []
    for text in texts:
        for topic, _, document, rank, score, tag in filter(None, map(str.split, text.splitlines())):
            systems += [] if tag in systems else [tag]
            number = -float(score) if by == "score" else int(rank)
            topics.setdefault(topic, {}).setdefault(tag, {}).setdefault(number, set()).add(document)
    found = {}
    for topic, runs in topics.items():
        found[topic] = []
        for tag in systems:
            groups, kept = [], 0
            for _, group in sorted(runs.get(tag, {}).items()):
                if depth is None or kept < depth:
                    groups.append(group)
                kept += len(group)
            found[topic].append(groups)
    return found, systems


def as_groups(rankings):
    return [[group if isinstance(group, set) else {group} for group in row] for row in rankings.to_lists()]


def test_a_file(tmp_path):
    topics = wkendall.read_trec(write(tmp_path / "runs.txt", RUNS))
    assert list(topics) == ["40", "41"]
    assert topics["40"].items == ["d3", "d1", "d2", "d4"]
    assert topics["40"].labels == topics["41"].labels == ["bm25", "dense"]
    assert topics["40"].to_lists() == [["d3", "d1", "d2"], [{"d2", "d4"}]]
    assert topics["41"].to_lists() == [["d9"], []]
    assert wkendall.read_trec(tmp_path / "runs.txt", by="rank")["40"].to_lists() == [["d3", "d1", "d2"], ["d4", "d2"]]


def test_depth_leaves_out_documents(tmp_path):
    path = write(tmp_path / "runs.txt", RUNS)
    first = wkendall.read_trec(path, depth=1)["40"]
    assert first.to_lists() == [["d3"], [{"d2", "d4"}]]
    assert first.items == ["d3", "d2", "d4"]
    assert wkendall.read_trec(path, depth=100) == wkendall.read_trec(path)


FORMS = {
    "tabs": RUNS.replace(" ", "\t"),
    "wide": "\n  \n" + RUNS.replace(" ", " \t  ").replace("\n", "  \n"),
    "CRLF": RUNS.replace("\n", "\r\n"),
    "BOM": "\ufeff" + RUNS,
    "no last end of line": RUNS.rstrip(),
    "names": RUNS.replace("d3", "São_Paulo\u00a0x").replace("bm25", "ß"),
}


@pytest.mark.parametrize("name", ["runs.txt", "runs.gz"])
@pytest.mark.parametrize("form", FORMS)
def test_forms(tmp_path, form, name):
    found = wkendall.read_trec(write(tmp_path / name, FORMS[form]))
    wanted = wkendall.read_trec(write(tmp_path / "plain.txt", RUNS))
    assert [rankings._places.toarray().tolist() for rankings in found.values()] == [
        rankings._places.toarray().tolist() for rankings in wanted.values()
    ]
    if form == "names":
        assert found["40"].items[0] == "São_Paulo\u00a0x"
        assert found["40"].labels[0] == "ß"


@pytest.mark.parametrize("by", ["score", "rank"])
def test_by_definition(tmp_path, by):
    rng = np.random.default_rng(0)
    for case in range(60):
        systems, lines = [f"s{number}" for number in range(case % 5 + 1)], []
        for topic in range(case % 3 + 1):
            for tag in systems:
                size = rng.integers(0 if len(systems) > 1 else 1, 8)
                for place, document in enumerate(rng.permutation(8)[:size]):
                    score = [rng.integers(-2, 3), round(rng.normal(), 3), 10.0 ** rng.integers(-300, 300)][case % 3]
                    rank = place if case % 2 else rng.integers(0, 4) * 7
                    lines.append(f"t{topic} Q0 doc{document} {rank} {score} {tag}")
        lines = [lines[k] for k in rng.permutation(len(lines))] if case % 4 == 3 else lines
        if not lines:
            continue
        texts = {tag: "\n".join(line for line in lines if line.endswith(tag)) for tag in systems}
        texts = {tag: text for tag, text in texts.items() if text} if case % 2 else {"all": "\n".join(lines)}
        files = [write(tmp_path / f"{case}.{tag}.{'gz' if case % 3 else 'txt'}", text) for tag, text in texts.items()]
        for depth in (None, 1, 3):
            found = wkendall.read_trec(files, by=by, depth=depth)
            wanted, tags = by_definition(texts.values(), by, depth)
            assert list(found) == list(wanted)
            for topic, rankings in found.items():
                assert rankings.labels == tags
                assert as_groups(rankings) == wanted[topic]
                assert set(rankings.items) == set().union(*(group for row in wanted[topic] for group in row))


def test_several_files(tmp_path):
    one, two = RUNS.splitlines(keepends=True)[:4], RUNS.splitlines(keepends=True)[4:]
    files = [write(tmp_path / "a.run", "".join(one)), write(tmp_path / "b.run.gz", "".join(two))]
    write(tmp_path / ".hidden", "")
    (tmp_path / "folder").mkdir()
    wanted = wkendall.read_trec(write(tmp_path / "folder" / "all.txt", RUNS))
    for path in (files, tuple(map(str, files)), iter(files), tmp_path, str(tmp_path), f"{tmp_path}/*.run*"):
        assert wkendall.read_trec(path) == wanted
    named = wkendall.read_trec({"first": files[0], "second": str(files[1])})
    assert named == wanted
    assert named["41"].labels == ["first", "second"]
    # A run that is split by topics.
    topics = [write(tmp_path / "folder" / f"{n}.txt", text) for n, text in enumerate(["".join(one[:3] + two), one[3]])]
    assert wkendall.read_trec(topics) == wanted
    odd = write(tmp_path / "folder" / "[1].txt", RUNS)
    assert wkendall.read_trec(odd) == wanted


def test_complete_results_are_complete_rankings(tmp_path):
    path = write(tmp_path / "x.txt", "1 Q0 a 1 9 s\n1 Q0 b 2 -8 s\n1 Q0 b 1 2.5 t\n1 Q0 a 2 2 t\n")
    found = wkendall.read_trec(path)["1"]
    assert found.kind == "complete"
    assert found.labels == ["s", "t"]
    assert np.asarray(found).tolist() == [[1, 2], [2, 1]]


LINE = "40 Q0 d3 1 2.5 bm25\n"
#: Text, options, line, column, value, kind, what the message says.
BAD = [
    ("", {}, 1, None, None, None, "the file is empty"),
    ("\n \n", {}, 1, None, None, None, "the file is empty"),
    (LINE + "\n40 Q0 d1 2 1.5\n", {}, 3, None, 5, "ragged", "there are 5 columns, but must be 6: topic"),
    (LINE + "40 Q0 d1 2 1.5 my run\n", {}, 2, None, 7, "ragged", "there are 7 columns"),
    (LINE + "40 Q0 d1 2 x bm25\n", {}, 2, 4, "x", "not a number", "the score is 'x', but must be a finite number"),
    (LINE + "40 Q0 d1 2 nan bm25\n", {}, 2, 4, "nan", "not a number", "the score is 'nan'"),
    (LINE + "40 Q0 d1 2 -inf bm25\n", {}, 2, 4, "-inf", "not a number", "the score is '-inf'"),
    (LINE + "40 Q0 d1 2 1_0 bm25\n", {}, 2, 4, "1_0", "not a number", "the score is '1_0'"),
    (LINE + "40 Q0 d1 2.5 1 bm25\n", {"by": "rank"}, 2, 3, "2.5", "not a number", "the rank is '2.5', but must"),
    (LINE + f"40 Q0 d1 {'9' * 400} 1 bm25\n", {"by": "rank"}, 2, 3, "9" * 400, "not a number", "the rank is '9"),
    (
        LINE + "41 Q0 d3 1 1 bm25\n40 Q0 d1 1 1 bm25\n40 Q0 d3 1 0 bm25\n40 Q0 d1 1 0 bm25\n",
        {},
        4,
        2,
        "d3",
        "duplicate",
        "topic '40' of run 'bm25' has document 'd3' twice, first in line 1",
    ),
    (LINE.encode() + b"40 Q0 \xe9 2 1 bm25\n", {}, 2, None, None, None, "the byte 0xe9 is not UTF-8"),
    (LINE.encode() + b"4\xff Q0 d 2 1 bm25\n", {}, 2, None, None, None, "the byte 0xff is not UTF-8"),
    (LINE.encode() + b"40 Q0 d 2 1 bm\xff\n", {}, 2, None, None, None, "the byte 0xff is not UTF-8"),
]


@pytest.mark.parametrize("name", ["x.run", "x.gz"])
@pytest.mark.parametrize(("text", "options", "line", "column", "value", "kind", "says"), BAD)
def test_refused(tmp_path, name, text, options, line, column, value, kind, says):
    with pytest.raises(wkendall.RankingError) as caught:
        wkendall.read_trec(write(tmp_path / name, text), **options)
    error = caught.value
    assert str(error).startswith(f"{name}, line {line}: {says}")
    assert "\n" not in str(error)
    assert (error.row, error.column, error.value, error.kind) == (line - 1, column, value, kind)


def test_systems_that_are_not_told_apart(tmp_path):
    one, two = write(tmp_path / "a.run", RUNS), write(tmp_path / "b.run", "7 Q0 d 1 1 new\n" + LINE)
    with pytest.raises(wkendall.RankingError, match=r"^b.run, line 2: run 'bm25' has .* topic '40' in a.run as well;"):
        wkendall.read_trec([one, two])
    with pytest.raises(wkendall.RankingError, match=r"^a.run, line 5: there are the run tags 'dense' and 'bm25', but"):
        wkendall.read_trec({"one": one})


def test_damaged_gzip(tmp_path):
    whole = gzip.compress((LINE * 1).encode())
    path = tmp_path / "x.gz"
    for data in (whole[:-9], whole[:12], whole[:-8] + bytes(8)):
        path.write_bytes(data)
        with pytest.raises(wkendall.RankingError, match=r"^x.gz, line \d+: the compressed file is damaged"):
            wkendall.read_trec(path)


@pytest.mark.parametrize(
    ("path", "options", "error", "says"),
    [
        (3, {}, TypeError, "path"),
        (b"x", {}, TypeError, "path"),
        ([3], {}, TypeError, "path"),
        ([], {}, wkendall.RankingError, "path"),
        ({}, {}, wkendall.RankingError, "path"),
        ("no/such/*.run", {}, wkendall.RankingError, "path"),
        ("no/such.run", {}, FileNotFoundError, "such"),
        ("x", {"by": "tag"}, wkendall.RankingError, "by"),
        ("x", {"depth": 0}, wkendall.RankingError, "depth"),
        ("x", {"depth": 2.5}, TypeError, "depth"),
    ],
)
def test_bad_arguments(path, options, error, says):
    with pytest.raises(error, match=says):
        wkendall.read_trec(path, **options)
