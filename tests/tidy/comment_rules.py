"""The rule for how comments begin: tidy.py applies it to every file of the product, of its tests and tools.

A comment on a thing is a noun phrase that begins with the thing; a comment on an act is a sentence with a subject and a
verb. A comment that begins with one of OPENINGS is neither: it is a relative clause whose noun is missing, or a
genitive before its noun. So is a later sentence that begins with one of SENTENCES.

A comment is a block: a C comment, neighbouring lines of // or #, or a docstring.
"""

import ast
import io
import re
import tokenize

OPENINGS = re.compile(r"(?:Of|What|Who|Whoever|Whose|As|That)\b(?!['(])", re.I)
SENTENCES = re.compile(r"(?:(?<=[.!?;:]\s)|(?<=\n\n))(?:Of\b[^.;:]*[,:]|(?:Who|Whoever|Whose)\b)")
C_NAMES = re.compile(r"\.(?:[chyl]|cc|h\.in)$")
HASH_NAMES = re.compile(r"(?:\.(?:sh|cmake|cmake\.in|mk)|(?:^|/)(?:CMakeLists\.txt|Makefile|Dockerfile))$")
C_TOKENS = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
HASH_TOKENS = re.compile(r"(?:(?<=^)|(?<=\s))#[^\n]*|\"(?:\\.|[^\"\\])*\"|'[^'\n]*'", re.M)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def joined(lines):
    """Blocks (line, text) of single comments (line, column, stands alone, text): neighbours in one column are one."""
    blocks, last = [], None
    for line, column, is_alone, words in lines:
        if last and is_alone and last == (line - 1, column):
            blocks[-1][1].append(words)
        else:
            blocks.append((line, [words]))
        last = (line, column) if is_alone else None
    return [(line, "\n".join(words)) for line, words in blocks]


def single(text, start, words):
    begin = text.rfind("\n", 0, start) + 1
    return line_of(text, start), start - begin, not text[begin:start].strip(), words


def blocks_of_c(text):
    blocks, lines = [], []
    for match in C_TOKENS.finditer(text):
        token = match.group(0)
        if token.startswith("/*"):
            inside = re.sub(r"^[ \t]*\*?[ \t]*", "", token[2:-2].lstrip("*!"), flags=re.M)
            blocks.append((line_of(text, match.start()), inside))
        elif token.startswith("//"):
            lines.append(single(text, match.start(), token.lstrip("/").strip()))
    return sorted(blocks + joined(lines))


def blocks_of_hash(text):
    return joined([single(text, match.start(), match.group(0).lstrip("#").strip())
                   for match in HASH_TOKENS.finditer(text)
                   if match.group(0).startswith("#") and not match.group(0).startswith("#!")])


def blocks_of_python(text):
    lines = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            line, column = token.start
            lines.append((line, column, not token.line[:column].strip(), token.string.lstrip("#").strip()))
    blocks = joined(lines)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = ast.get_docstring(node)
            if docstring:
                blocks.append((node.body[0].lineno, docstring))
    return sorted(blocks)


def blocks_of(name, text):
    """The comments (line, text) of a file; none of a file whose language is not known."""
    first = text.split("\n", 1)[0] if text.startswith("#!") else ""
    if C_NAMES.search(name):
        return blocks_of_c(text)
    if name.endswith(".py") or "python" in first:
        return blocks_of_python(text)
    if HASH_NAMES.search(name) or first.endswith("sh"):
        return blocks_of_hash(text)
    return []


def problems_of(name, text):
    for line, words in blocks_of(name, text):
        begin = len(words) - len(words.lstrip())
        for match in [OPENINGS.match(words, begin), *SENTENCES.finditer(words)]:
            if match:
                said = " ".join(words[match.start():].split())[:60]
                place = line + words.count("\n", 0, match.start())
                yield f"{name}:{place}: a comment begins with its noun, or is a sentence: {said}"
