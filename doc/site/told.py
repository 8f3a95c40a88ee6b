"""The pages of glossary, statements and kernel models, generated from the output of the program."""
import json
import re
import subprocess

from markdown import plain


def ask(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def shown(program, *arguments):
    return json.loads(ask(program, *arguments, "--json"))


def see(where, statements):
    """A reference of the program as a link: "attest show theorem2", "attest certify --help", "doc/formats.md"."""
    command = re.fullmatch(r"attest ([a-z-]+) --help", where)
    statement = re.fullmatch(r"attest show ([a-z0-9_-]+)", where)
    if command:
        return f"[`attest {command[1]}`](commands/{command[1]}.md)"
    if statement and statement[1] in statements:
        return f"[{statement[1]}](statements.md#{statement[1]})"
    return f"`{where}`"


def glossary(program, listed):
    statements = {statement["name"] for statement in listed["statements"]}
    made = ["# Glossary\n\nThe words of results and messages. `attest show WORD` explains them in the terminal."]
    for term in listed["glossary"]:
        more = f" See {see(term['see'], statements)}." if term["see"] else ""
        made.append(f"## {term['name']}\n\n{plain(term['text'])}{more}")
    return "\n\n".join(made) + "\n"


def statement(program, name, tested):
    one = shown(program, "show", name)
    made = [f"## {name}", f"**{plain(one['title'])}** ({plain(one['source'])})", plain(one["statement"])]
    for heading, members in ("Hypotheses", one.get("hypotheses")), ("Constants", one.get("constants")):
        if members:
            made.append(f"**{heading}**\n\n" + "\n".join(f"- `{key}`: {plain(str(text))}" for key, text in members.items()))
    proved = [f"Decided by {plain(one['decided_by'])}."] if one.get("decided_by") else []
    if one.get("note"):
        proved.append(f"Proved in `{one['note']}`.")
    if one.get("machine"):
        proved.append(f"Checked by machine: {plain(one['machine'])}.")
    if tested.get(name):
        proved.append("Tested by " + ", ".join(f"`{each}`" for each in tested[name]) + ".")
    return "\n\n".join(made + proved[:1] + [" ".join(proved[1:])])


def statements(program, listed):
    tested = {}
    for each in listed["properties"]:
        tested.setdefault(each["statement"], []).append(each["name"])
    made = ["# Statements\n\nAll statements, how they are decided and how far they are proved; `attest show NAME` prints the same text. "
            "The proofs are in `proofs-notes/README.md`."]
    return "\n\n".join(made + [statement(program, each["name"], tested) for each in listed["statements"]]) + "\n"


def kernels(program, listed):
    made = ["# Shipped kernel models\n\nThe output of `attest show kernel MODEL` for each model; `doc/kernel-models.md` explains the members."]
    for each in listed["kernels"]:
        text = ask(program, "show", "kernel", each["name"]).rstrip("\n")
        made.append(f"## {each['name']}\n\n{plain(each['title'])}\n\n```\n{text}\n```")
    return "\n\n".join(made) + "\n"
