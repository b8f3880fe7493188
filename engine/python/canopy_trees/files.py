"""Reads and writes .tree, .csv and the files beside them, byte for byte as Canopy does."""

from __future__ import annotations

import json
import math
import os
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Optional, Union

from .tree import Column, Extra, Row, Tree

PathLike = Union[str, "os.PathLike[str]"]

_COUNTER_MAX = 2**31 - 1
_EXTRA = struct.Struct("<dQdBB6xQd")
_TYPES = {"f64": "d", "f32": "f", "i64": "q", "i32": "i", "u8": "B"}


class TreeFileError(ValueError):
    """A file is not what it should be; the text says where and why."""


def read(path: PathLike) -> Tree:
    """Reads a tree file, .tree or .csv, with the files beside it."""
    path = Path(path)
    rows = {".tree": _read_tree, ".csv": _read_csv}.get(path.suffix.lower(), _unknown(path))(path)
    tree = Tree(rows)
    try:
        tree.parents()
    except ValueError as error:
        raise TreeFileError(f"{path}: {error}") from error
    meta = path.with_suffix(".json")
    if meta.exists():
        tree.meta = json.loads(meta.read_text("utf-8"))
        root = (tree.meta or {}).get("root")
        if root and path.suffix.lower() == ".tree":
            tree.rows[0].visits = min(root["visits"], _COUNTER_MAX)
            tree.rows[0].second = min(root["second"], _COUNTER_MAX)
            tree.rows[0].mean = root["mean"]
    columns = path.with_suffix(".columns")
    if columns.exists():
        tree.columns = _read_columns(columns, len(rows))
    extra = path.with_suffix(".extra")
    if extra.exists():
        tree.extra = _read_extra(extra, len(rows))
    return tree


def write(tree: Tree, path: PathLike) -> None:
    """Writes a tree file, .tree or .csv, and the files beside it. Each appears whole, the tree last."""
    path = Path(path)
    to_bytes = {".tree": _tree_bytes, ".csv": _csv_bytes}.get(path.suffix.lower(), _unknown(path))
    content = to_bytes(tree)
    if tree.meta is not None:
        _write_whole(path.with_suffix(".json"), (_json_text(tree.meta, "") + "\n").encode())
    if tree.extra is not None:
        _write_whole(path.with_suffix(".extra"), _extra_bytes(tree.extra))
    if tree.columns:
        _write_whole(path.with_suffix(".columns"), _columns_bytes(tree.columns, len(tree.rows)))
    _write_whole(path, content)


def _unknown(path: Path) -> Callable[[Any], Any]:
    def fail(_: Any) -> Any:
        raise TreeFileError(f"{path}: its name does not tell its format: expected .tree or .csv at the end")

    return fail


def _write_whole(path: Path, content: bytes) -> None:
    hidden = path.with_name(f".{os.getpid()}-{path.name}.tmp")
    hidden.write_bytes(content)
    hidden.replace(path)


# .tree


def _read_tree(path: Path) -> list[Row]:
    content = path.read_bytes()
    at = 0

    def take(count: int, what: str) -> bytes:
        nonlocal at
        if count < 0 or at + count > len(content):
            raise TreeFileError(f"{path}: byte {at}: the file ends in the middle of {what}")
        at += count
        return content[at - count : at]

    def integer(what: str) -> int:
        return int(struct.unpack("<i", take(4, what))[0])

    def name(what: str) -> str:
        begin = at
        try:
            return take(integer(what), what).decode()
        except UnicodeDecodeError as error:
            raise TreeFileError(f"{path}: byte {begin}: {what} is not UTF-8") from error

    rows = [Row(state=name("a state"))]
    rows[0].children = integer("a number of children")
    # Children that are still to come, of the open nodes.
    left = [rows[0].children]
    while left:
        if left[-1] <= 0:
            if left.pop() < 0:
                raise TreeFileError(f"{path}: byte {at}: a number of children below 0")
            continue
        left[-1] -= 1
        row = Row(move=name("a move"))
        row.visits, row.second, row.mean = struct.unpack("<iid", take(16, "the figures of a move"))
        row.state = name("a state")
        row.children = integer("a number of children")
        rows.append(row)
        left.append(row.children)
    if at < len(content):
        raise TreeFileError(f"{path}: byte {at}: something follows the end of the tree")
    return rows


def _tree_bytes(tree: Tree) -> bytes:
    out = bytearray()

    def name(text: str) -> None:
        content = text.encode()
        out.extend(struct.pack("<i", len(content)) + content)

    tree.parents()
    for index, row in enumerate(tree.rows):
        if index:
            name(row.move)
            out.extend(struct.pack("<iid", min(row.visits, _COUNTER_MAX), min(row.second, _COUNTER_MAX), row.mean))
        name(row.state)
        out.extend(struct.pack("<i", row.children))
    return bytes(out)


# .csv


def _split_csv(text: str, quote: str, path: Path) -> list[list[str]]:
    rows: list[list[str]] = []
    fields: list[str] = []
    value: list[str] = []
    at, is_quoted, is_begun = 0, False, False
    while at < len(text):
        symbol = text[at]
        at += 1
        if is_quoted:
            if symbol != quote:
                value.append(symbol)
            elif at < len(text) and text[at] == quote:
                value.append(quote)
                at += 1
            else:
                is_quoted = False
        elif symbol == quote and not value and not is_begun:
            is_quoted = is_begun = True
        elif symbol == ",":
            fields.append("".join(value))
            value, is_begun = [], False
        elif symbol in "\r\n":
            if symbol == "\r" and at < len(text) and text[at] == "\n":
                at += 1
            if fields or value or is_begun:
                rows.append([*fields, "".join(value)])
            fields, value, is_begun = [], [], False
        else:
            value.append(symbol)
    if is_quoted:
        raise TreeFileError(f"{path}: line {text.count(chr(10)) + 1}: a quote is not closed")
    if fields or value:
        rows.append([*fields, "".join(value)])
    return rows


def _read_csv(path: Path) -> list[Row]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TreeFileError(f"{path}: byte {error.start}: not UTF-8") from error

    def rows(quote: str) -> list[Row]:
        found = []
        for number, fields in enumerate(_split_csv(text, quote, path), 1):
            if len(fields) != 6:
                raise TreeFileError(f"{path}: row {number}: {len(fields)} columns: expected 6")
            try:
                found.append(Row(fields[0], int(fields[1]), int(fields[2]), float(fields[3]), fields[4], int(fields[5])))
            except ValueError as error:
                raise TreeFileError(f"{path}: row {number}: {error}") from error
        return found

    try:
        return rows("|")
    except TreeFileError:
        try:
            return rows('"')
        except TreeFileError:
            pass
        raise


def _csv_field(text: str) -> str:
    if any(symbol in text for symbol in ",|\r\n"):
        return "|" + text.replace("|", "||") + "|"
    return text


def _plain_number(value: float) -> str:
    """A number as Rust displays it: shortest digits, never an exponent."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    text = format(Decimal(repr(value)), "f")
    return text[:-2] if text.endswith(".0") else text


def _csv_bytes(tree: Tree) -> bytes:
    tree.parents()
    lines = []
    for index, row in enumerate(tree.rows):
        fields = [row.move, str(row.visits), str(row.second), _plain_number(row.mean), row.state, str(row.children)]
        if index == 0 and row.move.startswith("\ufeff"):
            # Else a reader takes it for a byte order mark.
            lines.append(",".join("|" + field.replace("|", "||") + "|" for field in fields))
        else:
            lines.append(",".join(map(_csv_field, fields)))
    return "".join(line + "\n" for line in lines).encode()


# STEM.json


def _json_number(value: float) -> str:
    """A number as the Rust side writes it in JSON: shortest digits, an exponent from 1e16 on and below 1e-5."""
    if not math.isfinite(value):
        return "null"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    point = len(text) + exponent
    if value == 0:
        body = "0.0"
    elif 0 < point <= 16:
        body = text[:point].ljust(point, "0") + "." + (text[point:] or "0")
    elif -5 < point <= 0:
        body = "0." + "0" * -point + text
    else:
        body = text[0] + ("." + text[1:] if len(text) > 1 else "") + f"e{point - 1}"
    return ("-" if sign else "") + body


def _json_text(value: Any, indent: str) -> str:
    deeper = indent + "  "
    if isinstance(value, float):
        return _json_number(value)
    if isinstance(value, dict):
        parts = [f"{deeper}{json.dumps(str(key), ensure_ascii=False)}: {_json_text(item, deeper)}" for key, item in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}" if parts else "{}"
    if isinstance(value, (list, tuple)):
        parts = [deeper + _json_text(item, deeper) for item in value]
        return "[\n" + ",\n".join(parts) + f"\n{indent}]" if parts else "[]"
    return json.dumps(value, ensure_ascii=False)


# STEM.extra


def _read_extra(path: Path, rows: int) -> list[Extra]:
    content = path.read_bytes()
    if content[:8] != b"CANOPYX1" or len(content) < 24:
        raise TreeFileError(f"{path}: byte 0: not a file of extras: expected CANOPYX1")
    size, _, count = struct.unpack("<iiQ", content[8:24])
    if count != rows or size < 32 or len(content) < 24 + size * count:
        raise TreeFileError(f"{path}: {count} records of {size} bytes do not fit a tree of {rows} rows")
    records = []
    for index in range(count):
        at = 24 + index * size
        record = content[at : at + size]
        if size < _EXTRA.size:
            record += struct.pack("<Qd", 0, math.nan)
        squares, visits, mean, proven, flags, table_visits, table_squares = _EXTRA.unpack(record[: _EXTRA.size])
        records.append(Extra(squares, visits, mean, proven, bool(flags & 1), table_visits, table_squares))
    return records


def _extra_bytes(records: list[Extra]) -> bytes:
    out = bytearray(b"CANOPYX1" + struct.pack("<iiQ", _EXTRA.size, 0, len(records)))
    for it in records:
        out += _EXTRA.pack(
            it.squares, it.node_visits, it.table_mean, it.proven, int(it.is_pruned), it.table_visits, it.table_squares
        )
    return bytes(out)


# STEM.columns


def _read_columns(path: Path, rows: int) -> list[Column]:
    content = path.read_bytes()
    if content[:8] != b"CANOPYC1" or len(content) < 12:
        raise TreeFileError(f"{path}: byte 0: not a file of columns: expected CANOPYC1")
    (length,) = struct.unpack("<I", content[8:12])
    try:
        header = json.loads(content[12 : 12 + length])
        if header["rows"] != rows:
            raise TreeFileError(f"{path}: columns of {header['rows']} rows for a tree of {rows}")
        at = 12 + length
        columns = []
        for about in header["columns"]:
            code = f"<{rows}{_TYPES[about['type']]}"
            values = list(struct.unpack_from(code, content, at))
            at += -(-struct.calcsize(code) // 8) * 8
            columns.append(Column(about["name"], values, about["type"], about.get("unit", ""), about.get("labels", [])))
    except (KeyError, TypeError, ValueError, struct.error) as error:
        if isinstance(error, TreeFileError):
            raise
        raise TreeFileError(f"{path}: the columns cannot be read: {error!r}") from error
    return columns


def _columns_bytes(columns: list[Column], rows: int) -> bytes:
    abouts = []
    for column in columns:
        if len(column.values) != rows:
            raise ValueError(f"the column {column.name} has {len(column.values)} values for {rows} rows")
        about: dict[str, Any] = {"name": column.name, "type": column.type, "unit": column.unit}
        if column.labels:
            about["labels"] = column.labels
        abouts.append(about)
    header = json.dumps({"rows": rows, "columns": abouts}, ensure_ascii=False, separators=(",", ":")).encode()
    header += b" " * (-(12 + len(header)) % 8)
    out = bytearray(b"CANOPYC1" + struct.pack("<I", len(header)) + header)
    for column in columns:
        out += struct.pack(f"<{rows}{_TYPES[column.type]}", *column.values)
        out += b"\0" * (-len(out) % 8)
    return bytes(out)
