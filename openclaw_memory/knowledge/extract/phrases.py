"""Words by which a sentence tells a change of status, a relation or a liking, in several languages. Pure look-ups."""
# ruff: noqa: E501  # word lists are read by language, not by column

from __future__ import annotations

import re

_STATUS = (
    r"\b(?:is now|are now|became|joined|left|quit|moved|starts?|started|stopped|finished|completed|launched|shipped|"
    r"released|delivered|paused|resumed|cancel(?:l)?ed|postponed|promoted|hired|fired|retired|merged|closed|opened|"
    r"got married|is on leave|signed|deployed|works at|works for|lives in|"
    r"virou|agora é|entrou|saiu|mudou|come[cç]ou|parou|terminou|concluiu|lan[cç]ou|entregou|pausou|retomou|cancelou|"
    r"adiou|foi promovid[oa]|contratou|fechou|abriu|assinou|casou|trabalha n[ao]|trabalha em|mora em|mora n[ao]|"
    r"ahora es|se mud[oó]|empez[oó]|dej[oó]|termin[oó]|lanz[oó]|entreg[oó]|firm[oó]|trabaja en|vive en|"
    r"ist jetzt|wurde|hat begonnen|hat gekündigt|ist umgezogen|gestartet|beendet|veröffentlicht|arbeitet bei|wohnt in|"
    r"est maintenant|a rejoint|a quitté|a déménagé|a commencé|a terminé|a lancé|a signé|travaille chez|habite)\b"
    r"|加入|离开|離開|搬到|搬家|开始|開始|结束|結束|完成|上线|上線|发布|發布|暂停|暫停|取消|推迟|升职|入职|离职|签约|结婚|住在|"
    r"入社|退社|引っ越|完了|リリース|начал|закончил|перешёл|перешла|переехал|ушёл|ушла|запустил|вышла|вышел"
)
_MILESTONE = (
    r"\b(?:got married|born|graduated|anniversary|launched|shipped|released|signed|won|raised|casou|nasceu|formou|lan[cç]ou|"
    r"assinou|ganhou|se cas[oó]|naci[oó]|lanz[oó]|firm[oó]|geheiratet|geboren|veröffentlicht|s'est marié|né[e]?|a lancé)\b"
    r"|结婚|出生|毕业|上线|上線|发布|發布|签约|获奖|リリース|結婚|卒業"
)
_PREFERENCE = (
    r"\b(?:likes?|loves?|prefers?|hates?|dislikes?|enjoys?|favou?rite|allergic|vegetarian|vegan|gosta|prefere|odeia|adora|"
    r"alérgic[oa]|vegetarian[oa]|le gusta|prefiere|odia|mag|bevorzugt|hasst|aime|préfère|déteste)\b"
    r"|喜欢|喜歡|偏好|讨厌|討厭|过敏|爱吃|愛吃|好き|嫌い|любит|предпочитает"
)
_KIN = (
    "wife|husband|spouse|partner|sister|brother|mother|father|mom|mum|dad|son|daughter|boss|manager|colleague|friend|"
    "roommate|girlfriend|boyfriend|cousin|uncle|aunt|mentor|esposa|esposo|marido|mulher|irmã|irmão|irma|irmao|mãe|pai|mae|"
    "filho|filha|chefe|colega|amigo|amiga|namorada|namorado|primo|prima|tio|tia|hermana|hermano|madre|padre|hijo|hija|jefe|"
    "jefa|novio|novia|frau|mann|schwester|bruder|mutter|vater|sohn|tochter|chef|chefin|kollege|kollegin|freund|freundin|"
    "femme|mari|sœur|frère|mère|père|fils|fille|patron|collègue|ami|amie"
)
_MINE = r"(?:my|our|minha|meu|nossa|nosso|mi|nuestra|nuestro|meine|mein|unsere|unser|ma|mon|notre)"
_NAME = r"(?P<name>[^\W\d_a-zß-ÿ][\w'’-]+(?:\s+(?:(?:de|da|do|dos|van|von|del|la)\s+)?[^\W\d_a-zß-ÿ][\w'’-]+){0,2})"
_RELATION = re.compile(rf"\b(?i:{_MINE})\s+(?:\w+\s+)?(?i:(?P<kin>{_KIN}))\s*,?\s+(?:is\s+|é\s+|a\s+|o\s+)?{_NAME}")
_RELATION_CJK = re.compile(
    r"我(?:的|们的)?(?P<kin>妻子|老婆|丈夫|老公|姐姐|妹妹|哥哥|弟弟|妈妈|爸爸|母亲|父亲|儿子|女儿|老板|上司|同事|朋友|女朋友|男朋友)"
    r"(?:叫|是|，|,|：|:)?\s*(?P<name>[\u4e00-\u9fff]{2,3}?)(?=[，。,. 在是去来住做也和的]|$)"
)

STATUS = re.compile(_STATUS, re.IGNORECASE)
MILESTONE = re.compile(_MILESTONE, re.IGNORECASE)
PREFERENCE = re.compile(_PREFERENCE, re.IGNORECASE)
COMPANY = re.compile(
    r"\b(?:Inc|Ltd|LLC|GmbH|AG|S\.?A|Ltda|S\.?L|Corp|Co|Oy|AB|BV|PLC)\b\.?|公司|集团|株式会社|주식회사"
)


def category(text: str) -> str:
    """The category of a fact that says `text`, as far as its words tell."""
    if PREFERENCE.search(text):
        return "preference"
    if MILESTONE.search(text):
        return "milestone"
    if STATUS.search(text):
        return "status"
    return "relationship" if relation(text) or re.search(rf"\b(?:{_KIN})\b", text, re.IGNORECASE) else "context"


def relation(text: str) -> str:
    """The name of a person that `text` calls the user's own (`my sister Ana`), "" where there is none."""
    found = _RELATION.search(text) or _RELATION_CJK.search(text)
    return found["name"].strip() if found else ""
