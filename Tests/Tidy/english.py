"""Plain English: the phrases that read as translated, each with what to write instead.

A phrase is in the table only where its words alone tell it from idiomatic use.
"""
import re

from prose import COMMENT, HEADING, NAME, PAGE, STRING, SUMMARY
from rule import Rule

EVERYWHERE = {SUMMARY, COMMENT, STRING, NAME, PAGE, HEADING}
COMMENTS = {SUMMARY, COMMENT}
SENTENCES = {SUMMARY, COMMENT, PAGE}

# (name, kinds of passages, alternative patterns, what to write instead).
PHRASES = [
    # As the APIs of Swift, C and HTTP, and as the Oxford English Dictionary.
    ("ize", EVERYWHERE, [
        r"\b\w*(?:[Aa]uthor|[Cc]ustom|[Ff]inal|[Ii]nitial|[Mm]inim|[Nn]ormal|[Oo]ptim|[Oo]rgan|[Rr]eal|[Rr]ecogn"
        r"|[Ss]erial|[Ss]ynchron|[Tt]oken)is(?:e[drs]?|ers|ing|able|ations?)\b",
    ], "spell it with -ize"),
    ("our", EVERYWHERE, [
        r"\b(?:[Bb]ehavi|[Cc]ol|[Ff]av|[Hh]on|[Nn]eighb)or(?:s|ed|ing|able)?\b(?!\.)",
        r"\b(?:[Cc]ancel|[Ll]abel|[Mm]odel|[Ss]ignal|[Tt]ravel)(?:ed|ing)\b", r"\b(?:[Cc]enter|[Gg]ray)\b",
    ], "spell it in British English: -our, -lled, -tre, grey"),
    ("anew", EVERYWHERE, [r"\banew\b"], "write 'again', or 'a new …'"),
    ("forever", EVERYWHERE, [r"\b[Ff]or ever\b"], "write 'always', 'for good' or 'without end'"),
    ("quantity", EVERYWHERE, [r"\b[Ss]o many\b(?!(?: \w+)? that\b)"], "name the number: 'the number of …', 'n …'"),
    ("interval", EVERYWHERE, [r"\b[Ss]o often\b(?! that\b)"],
     "name the interval or the number: 'every …', 'n times'"),
    ("told", EVERYWHERE, [
        r"(?<!can )(?<!cannot )(?<!could )\b(?:is|are|was|were|be|been) told\b"
        r"(?! apart\b| to (?!the\b|its\b|an?\b|nobody\b|whom?\b)\w)",
    ], "write 'is reported' or 'logs', or name who learns it"),
    ("said", EVERYWHERE, [r"\b(?:is|are|was|were|be) said\b(?! (?:about|and done|to (?:be|have|hold)))"],
     "write 'is reported', or name who says it"),
    ("returns", COMMENTS, [
        r"[;,:] answers (?!(?:to|are|that|and|in|for|of|from|when|out)\b|come)",
        r"(?:^|[.] )Answers (?:its|nil|whether|how|true|false|the (?:size|number|count|sequence))\b",
        r"\banswers (?:the size|the number|its|-1|no rows|nothing|[A-Z]{4,})\b",
    ], "write 'returns …'"),
    ("nil", EVERYWHERE, [r"\b(?:[Nn]il|NULL|None): "], "write '`nil` means …'"),
    ("negation", EVERYWHERE, [
        r"(?<!\b[Tt]here )\b(?:is|are|was|were|be) no (?!(?:longer|more|less|fewer|reason|use|doubt|different"
        r"|exception|matter|need|such|better|worse|later|earlier|larger|smaller|one)\b)\w+",
    ], "write 'is not a …', 'is not valid …' or 'there is no …'"),
    ("have", EVERYWHERE, [
        r"\b(?:has|have|had) not (?:exactly |at least )?(?:\d+|(?:an?|the|any|its|their|enough|one|two|all)\b)",
    ], "write 'does not have …'"),
    ("need", EVERYWHERE, [r"\bneeds not\b"], "write 'need not' or 'does not need to'"),
    ("option", EVERYWHERE, [r"\bby ['`]?--?\w[\w-]*"], "write 'with --…'"),
    ("release", EVERYWHERE, [r"\blet(?:s|ting)? go\b"], "write 'releases' or 'closes'"),
    ("beside", EVERYWHERE, [r"\bbeside (?:those|that|these|this|taps|what|the others?)\b"],
     "write 'in addition to', 'besides' or 'next to'"),
    ("behind", EVERYWHERE, [
        r"(?<!left )(?<!leaves )(?<!leave )(?<!clock is )\b(?:lies|stands|comes?|is|byte|NUL|page|place|offset"
        r"|sequence|key|message|digits?|memory|data|value|\w+s) behind (?:it|them|the|that|this|what|byte|its)\b",
    ], "write 'after'"),
    ("stand", EVERYWHERE, [
        r"(?<!deadline )(?<!as it )(?<!as they )\b(?:stands?|stood)\b"
        r"(?!-| (?:for|up|out|still|by itself|in for|in \w+ way)\b| in[.,;])(?: \w+)?",
        r"\bas (?:it stands|they stand) (?:in|there)\b",
    ], "write 'is'"),
    ("go", EVERYWHERE, [
        r"\bgoes (?:on\b(?! to\b)|(?:before|again)\b|by (?:this|that|the)\b)",
        r"\b(?:as|when|until|if) (?!everything\b)\w+(?: \w+)? goes(?=[.,;:]|$)",
    ], "write 'continues', 'precedes', 'ends' or 'is removed'"),
]

# A sentence that begins with a clause in place of a noun. A question may. Messages and test names begin in lower case.
_CLAUSE_FIRST = re.compile(
    r"(?:(?:^|[.;:] )(?P<it>What|Whoever|Whatever|Who|Those)|^(?P<lower>what|whoever|whatever|who|those))\b"
    r"(?=(?P<rest>[^.?!]*[.?!]?))")
_SUMMARY_END = re.compile(r"[.;](?: |$)")


def _passages(tree, kinds):
    for path, file in tree.files.items():
        for passage in file.passages:
            if passage.kind in kinds:
                yield path, passage


def _phrase_rule(name, kinds, patterns, instead):
    compiled = re.compile("|".join(patterns))

    def check(tree):
        for path, passage in _passages(tree, kinds):
            for match in compiled.finditer(passage.text):
                words = match[0].strip(" .,;:")
                yield path, passage.line_at(match.start()), f"'{words}': {instead}"
    return Rule(name, f"plain English: {instead}", check)


def _clauses_first(tree):
    for path, passage in _passages(tree, EVERYWHERE - {HEADING}):
        for match in _CLAUSE_FIRST.finditer(passage.text):
            is_sentence = passage.kind in (NAME, STRING) if match["lower"] else passage.kind in SENTENCES
            if is_sentence and not match["rest"].endswith("?"):
                first = match["it"] or match["lower"]
                words = " ".join((first + match["rest"]).split()[:4])
                line = passage.line_at(match.end() - len(first))
                yield path, line, f"'{words} …': begin with a noun that names it"


def _short_summaries(tree):
    for path, passage in _passages(tree, {SUMMARY}):
        end = _SUMMARY_END.search(passage.text)
        first = passage.text[:end.start()] if end else passage.text
        says_little = len(first.split()) <= 2 and not re.search(r"[`\d]", first)  # A name or a number says enough.
        if says_little:
            yield path, passage.line_at(0), f"'{first}': say what it is in a sentence, as in 'Number of bytes sent.'"


RULES = [_phrase_rule(*phrase) for phrase in PHRASES] + [
    Rule("clause-first", "a sentence begins with a noun, not with What, Who, Whoever or Those", _clauses_first),
    Rule("short-summary", "the summary of a declaration has more than two words", _short_summaries),
]
