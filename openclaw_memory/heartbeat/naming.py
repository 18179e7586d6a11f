"""What a task is called and what kind of line it is: names from bullets, log records, policies, references. Pure."""

from __future__ import annotations

import re

from openclaw_memory.heartbeat.phrases import Reading, read
from openclaw_memory.heartbeat.plain import plain
from openclaw_memory.heartbeat.schedule import EACH_BEAT

LONGEST = 72
_PARTICLES = "にはをので、"
TOKEN = re.compile(r"\b(HEARTBEAT_OK|NO_REPLY)\b")
_FORBIDS = re.compile(
    r"(?:\b(?:do not|don['’]t|never|must not|should not|nicht|niemals|kein|não|nunca|jamais|pas|не|никогда|inte|aldrig|"
    r"no (?:respond|contest|dig)\w*)\b|不要|别|禁止)[^.,;:\n]{0,30}(?:HEARTBEAT_OK|NO_REPLY)"
    r"|(?:HEARTBEAT_OK|NO_REPLY)\W{0,3}(?:is forbidden|nicht|verboten|禁止|запрещ)",
    re.IGNORECASE,
)
_QUIET_WORDS = re.compile(
    r"(?:quiet (?:hours|time)|do not disturb|silent hours|ruhezeit(?:en)?|horas de silencio|horário de silêncio|"
    r"heures calmes|тихие часы|тихий час|tysta timmar|静音时间|免打扰|静かな時間|"
    r"no (?:checks?|heartbeats?|beats?|prompts?|tasks?|messages?|pings?|alerts?)(?= (?:between|from)\b))(?![^\W\d_])",
    re.IGNORECASE,
)
_QUIET = re.compile(
    r"\W*(?:(?:respect|observe|keep|mind|during|in|no \w+ (?:during|in))\W+)?(?:the )?"
    rf"{_QUIET_WORDS.pattern}.{{0,60}}\Z",
    re.IGNORECASE | re.DOTALL,
)
_MANNER = re.compile(
    r"\W*(?:when (?:not )?to (?:reach|speak|talk|say|notify|alert|interrupt|message|ping|report|respond|reply|contact|"
    r"bother|disturb|escalate|stay|be (?:quiet|silent)|remain|keep|wake)\b|"
    r"(?:when|if) (?:to|you should) (?:not|stay)\b|"
    r"wann (?:(?:du|ich|man) )?(?:(?:dich|mich|sich) )?(?:nicht )?(?:melden|schweigen|stören|ruhig|still)\b|"
    r"cuándo (?:no )?(?:avisar|callar|hablar|contactar|molestar|responder)\b|"
    r"quando (?:não )?(?:avisar|falar|calar|ficar (?:quieto|em silêncio)|contatar|incomodar|responder)\b|"
    r"quand (?:ne pas )?(?:alerter|prévenir|parler|contacter|déranger|répondre|se taire|rester silencieux)\b|"
    r"когда (?:не )?(?:писать|молчать|беспокоить|сообщать|отвечать)\b|"
    r"när (?:du|man) (?:ska )?(?:inte )?(?:höra|vara tyst)\b|"
    r"(?:何时|什么时候|何時)(?:不要?|该)?(?:联系|打扰|保持安静|安静|沉默|提醒|汇报|回复)|"
    r"いつ(?:連絡|通知|報告|黙)|(?:連絡|通知|報告|黙る)(?:する)?(?:とき|時|べき))",
    re.IGNORECASE,
)
_UNLESS = re.compile(
    r"\b(?:unless|except\w*|only|but|urgent\w*|emergenc\w+|außer|nur|dringend\w*|notf\w+|salvo|excepto|exceto|só|sólo|solo|"
    r"urgentes?|urgência|sauf|кроме|срочн\w*|utom|brådskande)\b|除非|紧急|緊急|以外",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\W{0,3}(?:\*\*|__)(.+?)(?:\*\*|__)")
_LABEL = re.compile(r"([^:：]{2,40})[:：](?:\s+|(?=[^\x00-\x7f]))(.+)", re.DOTALL)
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_ONLY_LINK = re.compile(r"\s*(?:!?\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|<?https?://\S+>?)[\s.,;]*\Z")
_RECORD = re.compile(r"\s*(?:[✅☑✔🎉]|\[?\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|\]? *(?:[-–—]|✅)))")
_DATED = re.compile(r"(?<!\d)(?:\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}/\d{1,2}/\d{4})(?!\d)")
_LOG_TITLE = re.compile(
    r"(?:.*\b)?(?:achievements?|accomplish\w+|completed|done|history|changelog|change log|"
    r"(?:activity|status|work|run|beat) (?:log|history|updates?)|last (?:runs?|checks?|results?)|"
    r"session log|erledigt\w*|protokoll|verlauf|historial|"
    r"histórico|registro|concluíd\w+|terminé\w*|historique|выполнен\w*|журнал|история|klart|logg)(?:\b.*)?\Z|"
    r"(?:status|current status|progress|results|logs?|journal|archive|achieved today)\Z|.*(?:完成|日志|記録|ログ|历史)",
    re.IGNORECASE,
)
_REFERENCE_TITLE = re.compile(
    r"\W*(?:related|see also|links?|references?|docs|siehe auch|ver (?:también|também)|voir aussi|см\. также|se även|"
    r"相关|関連)\W*\Z",
    re.IGNORECASE,
)
STEP = re.compile(
    r"\W{0,3}(?:step|phase|schritt|paso|passo|étape|шаг|steg|第)?\s*(\d{1,2})\s*(?:[.):、：—–-]|步|\s)", re.IGNORECASE
)


def task_name(text: str, reading: Reading) -> str:
    """The name of a task: its bold words or label without the schedule, else the text without it, shortened."""
    without = _without(reading, text)
    bold = _BOLD.match(without)
    if bold and plain(bold[1]).strip(" :.—–-"):
        return _short(bold[1])
    label = _LABEL.match(plain(without))
    if label and label[1].strip() and not label[1].lstrip().startswith("http"):
        return _short(label[1])
    return _short(without) or _short(_BRACKETS.sub("", text)) or _short(text) or "task"


def _without(reading: Reading, text: str) -> str:
    """The text with the schedule cut out where it stands apart: in brackets, at the start, at the end."""
    if not reading.spans:
        return text
    out, at = [], 0
    source = reading.text
    for start, end in reading.spans:
        before, after = source[:start].rstrip(), source[end:].lstrip()
        bracketed = before[-1:] in "([（" and after[:1] in ")]）,;" and before
        apart = bracketed or not before or not after or before[-1:] in ":—–-*,;([" or after[:1] in ":—–-*,;)]"
        if apart:
            out.append(source[at:start])
            at = end
    rest = source[at:]
    out.append(rest if at < reading.spans[0][1] or reading.spans[0][0] else rest.lstrip().lstrip(_PARTICLES))
    return re.sub(r"[(\[]\W*(?:only|nur|just)?\W*[)\]]", "", " ".join(out))


def _short(text: str) -> str:
    first = plain(text).strip().split("\n", 1)[0]
    name = re.sub(r"\s+", " ", first).strip(" :：—–-,;.*()[]")
    name += ")" * (name.count("(") - name.count(")")) + "]" * (name.count("[") - name.count("]"))
    return name if len(name) <= LONGEST else name[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def is_quiet_hours(text: str) -> bool:
    """Whether a line only says when not to be disturbed."""
    return bool(_QUIET.match(plain(text)))


def is_manner(text: str) -> bool:
    """Whether a line tells when to speak up and when not to: what stands below it are conditions, no tasks."""
    return bool(_MANNER.match(plain(text)))


def quiet_window(text: str) -> tuple[int, int] | None:
    """The hours that a text about quiet hours gives, in minutes of the day; None where it makes exceptions."""
    words = plain(text).replace("\n", " ")
    found = None if _UNLESS.search(words) else _QUIET_WORDS.search(words)
    schedule = read(f"only {words[found.end() :].lstrip(' :：')}", heading=True).schedule if found else None
    return schedule.window if schedule and schedule._replace(window=None) == EACH_BEAT else None


def forbids(text: str) -> bool:
    """Whether the text forbids a token as an answer."""
    return bool(_FORBIDS.search(text))


def is_record(text: str) -> bool:
    """Whether an item tells what was done, not what to do."""
    return bool(_RECORD.match(text))


def is_log_title(title: str) -> bool:
    """Whether what stands under this heading tells what was."""
    return bool(_LOG_TITLE.match(plain(title)) or _DATED.search(title))


def is_reference(text: str) -> bool:
    """Whether an item is a link and nothing else."""
    return bool(_ONLY_LINK.match(text))


def is_reference_title(title: str) -> bool:
    """Whether a heading is of a list of links."""
    return bool(_REFERENCE_TITLE.match(plain(title)))
