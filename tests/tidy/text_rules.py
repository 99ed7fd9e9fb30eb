"""The rule for texts that users read, as docs/contribute/style.md has it: messages, hints and help in the C sources, and
the pages of docs/ that are for users.

A text begins with its subject or a verb, and not with one of OPENINGS; a sentence within it does not begin with a
genitive and a comma ("Of two classes, ..."). PHRASES are turns that a reader has to read twice.
"""

import re

STRINGS = re.compile(r'"((?:\\.|[^"\\\n])*)"(?:\s*\\?\n?\s*"((?:\\.|[^"\\\n])*)")*', re.S)
PIECE = re.compile(r'"((?:\\.|[^"\\\n])*)"')
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
OPENINGS = re.compile(r"(?:Of|What|Who|Whoever|Whose|As|That) [A-Za-z(%']")
PAGE_OPENINGS = re.compile(r"(?:Of|Who|Whoever|Whose) [A-Za-z(`]")  # "What it costs" is a good heading
INSIDE = re.compile(r"(?<=[.!?:;] )Of [a-z][^.;:]*|(?<=[.!?] )(?:Who|Whoever|Whose) [a-z][^.;:]*")
PHRASES = re.compile(r"\b(?:such an? one|is no input|of two classes one is|what [a-z]+ lacks?|is said nothing"
                     r"|so many such|whatever it is of|what (?:it|they) (?:is|are) of|in the mean of"
                     r"|(?:is|are) of (?:probabilities|two classes|an? [a-z]+er|quantiles|survival|regressions|USING|at most)"
                     r"|, of which (?:the|no) [a-z]+ (?:takes?|can)"
                     r"|(?:tells?|told|telling) (?:apart|nothing|anything|little|which|what|how|from)|(?:tells?|telling) [a-z ]{1,20} apart"
                     r"|is not said|says? nothing any more|(?:is|are) no names? of|other signs than|stands? behind|or say|all that there are"
                     r"|(?:an?|the) [a-z]+(?: [a-z]+){0,3} that is none|bytes that is none|none of its words|of late|make a number of it|what there is to"
                     r"|(?:is|are) of (?:different|another|more than)|(?:is|are) of no (?:known|kind|tree)|(?:is|are) none (?:to|that)|so many (?:evaluations|lanes)|what is returned has|, say\.)(?!\w)", re.I)
EXAMPLE = re.compile(r", as (?=['\[\d])")  # such as

# Pages of the project's own workings; the style page has examples of what it advises against.
FOR_DEVELOPERS = {"adding-a-column", "adding-a-model", "adding-an-operation", "architecture", "bars", "elasticity", "glossary",
                  "journal", "learning", "messages", "performance", "runtime", "style", "testing"}


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def without_comments(text):
    """The text with blanks for its comments."""
    return COMMENT_OR_STRING.sub(lambda found: found[0] if found[0].startswith('"') else re.sub(r"[^\n]", " ", found[0]), text)


def texts_of_c(text):
    """(line, text) of each string with two words; neighbouring literals are one."""
    for found in STRINGS.finditer(without_comments(text)):
        joined = "".join(PIECE.findall(found[0])).replace("\\n", " ").replace('\\"', '"')
        if " " in joined.strip():
            yield line_of(text, found.start()), joined


def texts_of_page(text):
    """(line, text) of each paragraph, item and cell outside of fenced and indented blocks."""
    fenced, start, words = False, 0, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        is_fence = line.lstrip().startswith("```")
        begins = re.match(r"\s*(?:[-*] |\d+\. |#+ |\|)", line)
        if words and (fenced or is_fence or begins or not line.strip()):
            yield start, " ".join(words)
            words = []
        if is_fence:
            fenced = not fenced
        elif not fenced and line.strip() and not line.startswith(("    ", "#")):
            if line.lstrip().startswith("|"):
                yield from ((number, cell.strip()) for cell in line.strip().strip("|").split("|") if " " in cell.strip())
                continue
            if not words:
                start = number
            words.append(line.strip().lstrip("-*# ") if begins else line.strip())


def found_in(words, openings):
    """The parts of the text that are against the rule."""
    if openings.match(words):
        yield words
    for found in (*INSIDE.finditer(words), *PHRASES.finditer(words), *EXAMPLE.finditer(words)):
        yield words[found.start():]


def problems_of(name, text):
    is_page = name.endswith(".md")
    for line, words in texts_of_page(text) if is_page else texts_of_c(text):
        for against in found_in(words, PAGE_OPENINGS if is_page else OPENINGS):
            yield f"{name}:{line}: a reader reads this twice (docs/contribute/style.md): {against[:70]}"
