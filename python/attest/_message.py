"""The text of a judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping

from ._lse import describe_lse

if TYPE_CHECKING:
    from ._judge import Judgement

SHOWN_RANGES = 8


def _place(found: Mapping[str, Any], batches: int, entry: str) -> str:
    batch = f"{entry} {found['batch']}, " if batches > 1 else ""
    return f"{batch}head {found['head']}, row {found['row']}, column {found['column']}"


def _range(found: Dict[str, Any], batches: int, entry: str, columns: int) -> str:
    first, last = found["rows"]
    left, right = found["columns"]
    batch = f"{entry} {found['batch']}, " if batches > 1 else ""
    rows = f"row {first}" if first == last else f"rows {first}-{last}"
    block = (last - first + 1) * columns
    if found["wrong"] == block:
        return f"{batch}head {found['head']}, {rows}, all {columns} columns"
    return f"{batch}head {found['head']}, {rows}: {found['wrong']} of {block} elements, columns {left} to {right}"


def _number(x: Any, digits: int = 9) -> str:
    return f"{x:.{digits}g}" if isinstance(x, (int, float)) else str(x)


def _worst(judgement: "Judgement", batches: int) -> List[str]:
    worst = judgement.worst
    if worst is None:
        return []
    exact = worst["exact"]["text"] if worst["exact"] else "nan"
    uncast = ", not a number of the output format" if worst["uncast"] else ""
    return [
        f"worst element: {_place(worst, batches, judgement.entry)}",
        f"  output       {_number(worst['output'], 17)}{uncast}",
        f"  exact        {exact}",
        f"  must be      {_number(worst['lo'])}, the only value that such a kernel can return here"
        if worst["lo"] == worst["hi"]
        else f"  may be       {_number(worst['lo'])} to {_number(worst['hi'])}, within {_number(worst['bound'])} of the exact value",
        f"  error/bound  {_number(worst['ratio'])}",
    ]


def describe(judgement: "Judgement") -> str:
    """The verdict; where it is wrong the pattern, what would explain it, and the worst element."""
    found = judgement.record
    name = judgement.kernel.name
    batches = 1 + max(head["batch"] for head in found["heads"])
    columns = found["heads"][0]["columns"]
    if judgement.verdict == "within":
        lines = [f"within: all {found['elements']} elements are within what a kernel of {name} can return"]
    elif judgement.verdict == "wrong":
        lines = [f"proved wrong: {found['wrong']} of {found['elements']} elements are outside what any kernel of {name} can return"]
    else:
        lines = [f"undecided: {found['undecided']} of {found['elements']} elements: {found['reason']}"]
    if found["sample"]:
        sample = found["sample"]
        lines.append(f"this is a sample: {sample['rows']} of the {sample['of']} rows were judged, drawn by the seed {sample['seed']}")
    if found["uncast"]:
        formats = " or ".join(judgement.kernel.output_formats)
        lines.append(f"{found['uncast']} of them are not numbers of {formats}, the output format of the model: a final cast is missing")
    if found["pattern"]:
        lines.append("  " + found["pattern"]["sentence"])
    if found["pattern"] and found["pattern"]["match"] == "none":
        ranges = found["wrong_rows"]
        lines += ["  " + _range(r, batches, judgement.entry, columns) for r in ranges[:SHOWN_RANGES]]
        more = len(ranges) - SHOWN_RANGES + found["wrong_rows_left_out"]
        if more > 0:
            lines.append(f"  and {more} more")
    lines += [f"{other['sentence']} ({other['name']})" for other in found["alternatives"]]
    if judgement.verdict == "wrong" and not found["alternatives"]:
        tried = found["alternatives_tried"]
        rest = "; not all, to bound the work" if tried["not_tried"] or (tried["pairs"] and not tried["all_pairs"]) else ""
        lines.append(f"no known setting, model or fault explains the output ({tried['judgements']} changes tried{rest})")
    if "tfloat32" in found["cannot_distinguish"]:
        lines.append(
            "this model cannot tell TF32 from binary32 here: its bounds also contain the exact results of inputs rounded to tfloat32; "
            "use a model that names the order and the tiles of the kernel"
        )
    lines += _worst(judgement, batches)
    return "\n".join(lines + (describe_lse(judgement.lse, name) if judgement.lse else []))
