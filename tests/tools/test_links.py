import json
from pathlib import Path

import pytest

from tools import links


def line(status: str, uri: str, filename: str) -> str:
    return json.dumps({"status": status, "uri": uri, "filename": filename, "lineno": 7})


REPORT = [
    line("broken", "https://gone.example/", "book/b.md"),
    line("broken", "?chapter=01#claims", "book/ledger.md"),
    line("working", "https://here.example/", "book/b.md"),
    line("working", "https://here.example/", "book/a.md"),
    line("redirected", "http://moved.example/", "book/a.md"),
]


def test_each_address_that_leaves_the_book_has_one_line_and_the_broken_come_last():
    assert links.table(REPORT) == [
        ("working", "https://here.example/", "book/a.md, book/b.md"),
        ("redirected", "http://moved.example/", "book/a.md"),
        ("broken", "https://gone.example/", "book/b.md"),
    ]


@pytest.mark.parametrize("report, status", [(REPORT, 1), (REPORT[2:], 0)])
def test_a_broken_address_makes_the_command_fail(
    report: list[str],
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(links, "ask", lambda: None)
    monkeypatch.setattr(links, "REPORT", tmp_path / "output.json")
    links.REPORT.write_text("\n".join(report), encoding="utf-8")
    assert links.main() == status
    assert capsys.readouterr().out.endswith(f"addresses, {status} broken\n")
