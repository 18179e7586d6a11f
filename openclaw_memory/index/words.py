"""The words that give a heading or a column its meaning, in the languages met in real workspaces.

Data and look-ups only; imports nothing of ours but `markdown`.
"""
# ruff: noqa: E501  # word lists are read by language, not by column

from __future__ import annotations

import re
from functools import lru_cache

from openclaw_memory.markdown import without_comments
from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Role: TypeAlias = "Literal['name', 'path', 'triggers', 'about', 'importance', 'rev', 'other']"

LONGEST = 200  # characters of a heading, header or remark that is looked at: longer ones are prose
LANGUAGES = ("en", "pt", "es", "de", "fr", "it", "nl", "sv", "ru", "zh", "ja", "ko")

_TITLES: dict[str, tuple[str, ...]] = {
    "active": (
        "Active Context", "Contexto Ativo", "Contexto Activo", "Aktiver Kontext", "Contexte Actif", "Contesto Attivo",
        "Actieve Context", "Aktiv Kontext", "Активный контекст", "活跃上下文", "アクティブコンテキスト", "활성 컨텍스트",
    ),
    "preferences": (
        "Preferences", "Preferências", "Preferencias", "Vorlieben", "Préférences", "Preferenze",
        "Voorkeuren", "Preferenser", "Предпочтения", "偏好", "好み", "선호",
    ),
    "people": (
        "People", "Pessoas", "Personas", "Personen", "Personnes", "Persone",
        "Mensen", "Personer", "Люди", "人物", "人物一覧", "사람",
    ),
    "companies": (
        "Companies", "Empresas", "Empresas", "Firmen", "Entreprises", "Aziende",
        "Bedrijven", "Företag", "Компании", "公司", "会社", "회사",
    ),
    "projects": (
        "Projects", "Projetos", "Proyectos", "Projekte", "Projets", "Progetti",
        "Projecten", "Projekt", "Проекты", "项目", "プロジェクト", "프로젝트",
    ),
    "decisions": (
        "Decisions", "Decisões", "Decisiones", "Entscheidungen", "Décisions", "Decisioni",
        "Beslissingen", "Beslut", "Решения", "决策", "決定", "결정",
    ),
    "resources": (
        "Resources", "Recursos", "Recursos", "Ressourcen", "Ressources", "Risorse",
        "Bronnen", "Resurser", "Ресурсы", "资源", "資料", "자료",
    ),
    "archive": (
        "Archive", "Arquivo", "Archivo", "Archiv", "Archives", "Archivio",
        "Archief", "Arkiv", "Архив", "归档", "アーカイブ", "보관",
    ),
}  # fmt: skip

_MORE: dict[str, str] = {
    "active": "active working set|always load|always loaded|loaded at start|contexto atual|活动上下文|当前上下文",
    "preferences": "preference|user preferences|how to work with me|präferenzen|用户偏好|設定",
    "people": "persons|person|contacts|team|family|leute|kontakte|contatos|contactos|équipe|人|人们|联系人|メンバー|人々",
    "companies": "company|organizations|organisations|orgs|clients|customers|unternehmen|kunden|clientes|客户|組織",
    "projects": "project|projekten|案件|仕事",
    "decisions": "decision|decision log|决定|決定事項",
    "resources": "resource|references|knowledge|topics|lessons|tools|lições|wissen|知识|教训|知識|リソース",
    "archive": "archives|archived|归档区|存档|書庫",
}

_FOLDERS: dict[str, str] = {
    "person": "people", "persons": "people", "contacts": "people", "company": "companies", "organizations": "companies",
    "project": "projects", "decision": "decisions", "resource": "resources", "archives": "archive", "lessons": "resources",
}  # fmt: skip

_COLUMNS: dict[Role, str] = {
    "triggers": "trigger|triggers|trigger word|trigger words|keyword|keywords|key words|tags|gatilho|gatilhos|palavra chave"
    "|palavras chave|palabra clave|palabras clave|disparador|disparadores|auslöser|schlüsselwörter|schlagwörter|stichwörter"
    "|stichworte|mot clé|mots clés|mots clefs|déclencheur|déclencheurs|parole chiave|trefwoorden|trefwoord|nyckelord"
    "|триггер|триггеры|ключевые слова|触发|触发词|觸發詞|关键词|關鍵詞|关键字|キーワード|トリガー|트리거|키워드",
    "path": "file|files|filename|file name|path|where|location|link|links|detail|details|detail file|detail files|document|doc"
    "|source|read|read first|load|arquivo|arquivos|caminho|onde|local|ficheiro|archivo|ruta|dónde|donde|ubicación|datei"
    "|pfad|wo|ort|fichier|chemin|où|percorso|dove|bestand|pad|waar|fil|sökväg|var|файл|путь|где|文件|路径|位置|檔案"
    "|ファイル|パス|場所|파일|경로|위치",
    "name": "what|name|who|title|topic|subject|item|entity|person|people|project|projects|company|area|category|nome|o quê"
    "|o que|pessoa|projeto|assunto|tema|nombre|qué|persona|proyecto|thema|wer|was|titel|projekt|nom|quoi|sujet|projet"
    "|nome|cosa|naam|wat|onderwerp|namn|vad|имя|название|что|тема|проект|名称|名字|项目|主题|人物|名前|項目|名|이름|주제",
    "about": "about|description|desc|contents|content|summary|notes|note|purpose|why|reason|what is inside|covers|use for"
    "|function|descrição|sobre|conteúdo|resumo|notas|motivo|descripción|contenido|resumen|beschreibung|inhalt|zweck|notiz"
    "|notizen|grund|contenu|résumé|raison|descrizione|contenuto|beschrijving|inhoud|beskrivning|innehåll|описание|о чём"
    "|содержание|заметки|说明|描述|内容|备注|用途|説明|メモ|概要|설명|내용",
    "importance": "importance|importância|importancia|wichtigkeit|重要度|重要性|важность",
    "rev": "rev",
}
_TASK = (
    "task|before|before task|when|when to read|when to load|if|situation|need|doing|use when|read when|load when|tarefa|quando"
    "|antes de|tarea|cuándo|cuando|aufgabe|wann|vor|tâche|quand|avant|taak|wanneer|uppgift|när|задача|когда|任务|任務"
    "|何时|什么时候|いつ|タスク|작업|언제"
)
_NOTHING = (
    "none|none yet|nothing|nothing yet|empty|now empty|currently empty|no files|no entries|no entries yet|tbd|todo|n/a|na"
    "|nenhum|nenhuma|nenhum ainda|vazio|vazia|ninguno|ninguna|vacío|vacio|keine|keiner|keins|leer|noch leer|noch keine"
    "|aucun|aucune|vide|nessuno|vuoto|geen|leeg|inga|ingen|tomt|нет|пока нет|пусто|无|無|暂无|没有|空|なし|まだなし"
    "|いまは なし|今はなし|未登録|없음"
)

_WORD = pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_DECORATION = pattern(r"[*_`~]+")
_BRACKETED = pattern(r"[(（\[【].*?[)）\]】]|[—–:：|].*")


def _split(words: str) -> frozenset[str]:
    return frozenset(words.casefold().split("|"))


_COLUMN_ROLES: dict[str, Role] = {word: role for role, words in _COLUMNS.items() for word in _split(words)}
_TASK_WORDS = _split(_TASK)
_EMPTY = _split(_NOTHING)
_HEADINGS: dict[str, tuple[str, str]] = {
    **{word: (kind, "") for kind, words in _MORE.items() for word in _split(words)},
    **{
        title.casefold(): (kind, language)
        for kind, titles in _TITLES.items()
        for language, title in reversed(list(zip(LANGUAGES, titles, strict=True)))
    },
}


def plain(text: str) -> str:
    """`text` casefolded, only its words: no emoji, punctuation or decoration."""
    return " ".join(_WORD.findall(_DECORATION.sub("", without_comments(text)).casefold()))


def heading_kind(title: str) -> tuple[str, str]:
    """(kind, language) of a section's heading: `👤 People (key contacts)` gives `("people", "en")`, else `("", "")`."""
    return _heading_kind(title) if len(title) <= LONGEST else ("", "")


@lru_cache(maxsize=1024)
def _heading_kind(title: str) -> tuple[str, str]:
    for text in (title, _BRACKETED.sub("", title)):
        found = _HEADINGS.get(plain(text))
        if found:
            return found
    words = plain(title)
    for title_, found in _HEADINGS.items():
        if found[0] == "active" and len(title_) > 4 and title_ in words:
            return found
    return "", ""


def kind_title(kind: str, language: str = "en") -> str:
    """The heading of a new section for `kind` (a folder's name): `people` in `pt` gives `Pessoas`."""
    titles = _TITLES.get(folder_kind(kind))
    if titles is None:
        return kind.replace("-", " ").replace("_", " ").title()
    return titles[LANGUAGES.index(language)] if language in LANGUAGES else titles[0]


def folder_kind(folder: str) -> str:
    """The kind of section that files of a folder named `folder` belong to."""
    name = folder.casefold()
    return _FOLDERS.get(name, name)


def is_kind(folder: str) -> bool:
    """Whether a folder's name is that of a kind: `people`, `archives`."""
    return folder_kind(folder) in _TITLES


def column_role(header: str) -> Role | Literal["task"]:
    """What a table's column holds, by its header; `task` for "before task X read Y" tables."""
    return _column_role(header) if len(header) <= LONGEST else "other"


@lru_cache(maxsize=1024)
def _column_role(header: str) -> Role | Literal["task"]:
    words = plain(header)
    for part in (words, *(plain(piece) for piece in re.split(r"[/|,&+(（]", header))):
        if part in _COLUMN_ROLES:
            return _COLUMN_ROLES[part]
        if part in _TASK_WORDS or part.startswith(("before ", "when ")):
            return "task"
    return "other"


def says_nothing(text: str) -> bool:
    """Whether `text` only states that there is nothing: `*(none yet)*`, `—`, `(いまは なし)`."""
    if len(text) > LONGEST:
        return False
    words = plain(text)
    return (not words and not re.search(r"\w", text)) or words in _EMPTY
