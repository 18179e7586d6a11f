"""The words of schedules in nine languages, as one table: a symbol, its value, and the words that mean it.

Symbols, one letter each, are what the grammar in `phrases.py` is written in:
e every · E every, after its noun ("ごと") · n number · o ordinal ("every other" is 2) · u unit (seconds) · f few
b beat (b? a word that may mean one, after "every") · d "daily" and the like · x "times" · X "once", "twice"
t time of day (minute) · k weekday (0 is Monday), K in a form that only means a repeated one ("Mondays", "montags")
g group of weekdays · p part of the day · a at, on · / per · l only, at least (l< at most) · s since
B from, between · - to · , and · r rotate · N switched off · v vague ("regularly")
A word in `~` says nothing. Words are lower case. Pure data; imports nothing.
"""

from __future__ import annotations

_TABLE = """
e: every each cada jede jeder jedes jeden jedem alle toutes tous toute tout chaque todo toda todos todas каждый каждая
e: каждом каждое каждые каждую каждого каждой varje var vart
/: per pro par por
e o2: varannan vartannat alternate
o2: second other zweite zweiten zweiter zweites segundo deuxième второй второе вторую вторые andra autre outro otro
o2: andere anderen
e o2 u86400: alterday
o1: first erste ersten primer primero primeiro primeira premier première первый första
o3: third dritte dritten drittes tercer terceiro troisième третий третье третью tredje
o4: fourth vierte vierten viertes cuarto quarto quatrième четвёртый четвертый fjärde
n0.5: half halber halbe halben halbes medio meio demi halv halva
n1: one ein eine einen einem einer uno un una uma une один одну одна одно en ett
n2: two zwei dos dois duas deux два две två
n3: three drei tres três trois три tre
n4: four vier cuatro quatro quatre четыре fyra
n5: five fünf cinco cinq пять fem
n6: six sechs seis шесть sex
n1.5: anderthalb anderthalbe полтора полторы
n8: eight acht ocho oito huit восемь åtta
n10: ten zehn diez dez dix десять tio
n15: fifteen fünfzehn quince quinze пятнадцать femton
n20: twenty zwanzig veinte vinte vingt двадцать tjugo
n30: thirty dreißig dreissig treinta trinta trente тридцать trettio
n45: forty-five fünfundvierzig
n90: ninety neunzig noventa
n12: twelve zwölf doce doze douze двенадцать tolv
f3: few several paar einige unos unas algunas algunos alguns algumas quelques plusieurs несколько några pocas pocos
f3: poucas poucos
f2: couple
u1: seconds sec secs segundos sekunde sekunden secondes секунд секунды sekunder
u60: minute minutes min mins minuto minutos minuten минута минуту минуты минут мин minut minuter
u900: quarterhour viertelstunde viertelstunden kvartstimme
u1800: halfhour halvtimme полчаса demi-heure demi-heures
u5400: ninetymin
u3600: hour hours hr hrs hora horas stunde stunden std heure heures час часа часов timme timmar
u86400: day days dia dias día días tag tage tagen tags jour jours день дня дней сутки суток dag dagen dagar dygn
u604800: week weeks wk wks semana semanas woche wochen semaine semaines неделя неделю недели недель vecka veckan veckor
u2592000: month months mes meses mês monat monate monaten monats mois месяц месяца месяцев månad månaden månader
u31536000: year years yr yrs jahr jahre jahren año años ano anos ans année années год года году лет år
u7776000: quarter quarters trimestre trimestres quartal quartale квартал квартала kvartal
b?: tick ticks cycle cycles poll polls run runs check checks
b: heartbeat heartbeats beat beats latido latidos batimento
b: batimentos batida batidas pulso pulsos herzschlag herzschläge herzschlägen takt battement battements pulsation
b: pulsations удар удара ударов биение биения биений сердцебиение сердцебиения сердцебиений хартбит хартбита хартбитов
b: пульс hjärtslag hjärtslaget puls
d86400: daily täglich tägliche täglicher tägliches diario diaria diariamente diário diária diarios diárias quotidien
d86400: quotidienne quotidiennement journalier ежедневно ежедневный ежедневная ежедневные dagligen daglig dagliga
d3600: hourly stündlich stündliche ежечасно ежечасный ежечасная timvis
d1800: halbstündlich halfhourly half-hourly
d7200: bihourly bi-hourly
d604800: weekly wöchentlich wöchentliche wöchentlicher semanal semanalmente semanales semanais hebdomadaire hebdo
d604800: еженедельно еженедельный еженедельная еженедельные veckovis
d1209600: biweekly fortnightly vierzehntägig quinzenal quincenal bi-weekly
d2592000: monthly monatlich monatliche mensual mensualmente mensal mensalmente mensuel mensuelle mensuellement
d2592000: ежемесячно ежемесячный ежемесячная månadsvis
d7776000: quarterly vierteljährlich trimestral trimestriel ежеквартально kvartalsvis
d31536000: yearly annually annual jährlich anual anualmente annuel ежегодно årligen
d1: nightly nächtlich еженощно
t0: midnight mitternacht medianoche meia-noite minuit полночь midnatt
t720: noon midday mediodía meio-dia полдень
k0: monday mon montag lunes lundi segunda segunda-feira понедельник måndag
k1: tuesday tue tues dienstag martes mardi terça terça-feira вторник tisdag
k2: wednesday wed mittwoch miércoles mercredi quarta quarta-feira среда среду onsdag
k3: thursday thu thur thurs donnerstag jueves jeudi quinta quinta-feira четверг torsdag
k4: friday fri freitag viernes vendredi sexta sexta-feira пятница пятницу fredag
k5: saturday sat samstag sonnabend sábado sabado samedi суббота субботу lördag
k6: sunday sun sonntag domingo dimanche воскресенье söndag
K0: mondays montags lundis segundas segundas-feiras понедельникам måndagar
K1: tuesdays dienstags mardis terças terças-feiras вторникам tisdagar
K2: wednesdays mittwochs mercredis quartas quartas-feiras средам onsdagar
K3: thursdays donnerstags jeudis quintas quintas-feiras четвергам torsdagar
K4: fridays freitags vendredis sextas sextas-feiras пятницам fredagar
K5: saturdays samstags sonnabends sábados samedis субботам lördagar
K6: sundays sonntags domingos dimanches воскресеньям söndagar
g01234: weekday weekdays workday workdays werktags wochentags werktage arbeitstage arbeitstags laborables hábiles úteis
g01234: uteis ouvrés ouvrables ouvré ouvrable будни будням рабочим рабочие vardag vardagar
g56: weekend weekends week-end week-ends wochenende wochenenden fin-de-semana выходные выходным helg helger helgen
p6-12: morning mornings morgens vormittag vormittags mañanas manhã manhãs matin matins утро утром утрам morgon morgonen
p6-12: morgen mañana
p9-17 g01234: deskhours
p12-14: mittag mittags lunchtime
p12-18: afternoon afternoons nachmittag nachmittags tarde tardes après-midi днём eftermiddag
p18-22: evening evenings abend abends soir soirs вечер вечером вечерам kväll kvällen kvällar
p22-6: night nights nacht nachts noche noches noite noites nuit nuits ночь ночью ночам natt natten nätter
x: x times mal veces vez vezes fois раз раза gånger gång ×
X1: once einmal
X2: twice zweimal
X3: thrice dreimal
a: at on @ um às à au le al am im kl klo kl. в во по om ab die
l: only just if when nur wenn seulement si solo sólo só somente apenas solamente только если endast bara mindestens mind
l: least minimum mínimo minst moins menos минимум
l<: max most maximum máximo höchstens
s: since last seit depuis desde последнего sedan letzten
B: от between from zwischen von entre с между mellan från das dalle
-: to bis à até hasta jusqu'à до till until through thru
,: and und y e et и och & +
r: rotate rotation rotating round-robin roundrobin abwechselnd rotieren rotierend alternar rotar rotativo rotación
r: rodízio revezar очереди поочерёдно växelvis turas
N: disabled paused deaktiviert desativado desativada отключено pausado pausada pausiert inactive désactivé inaktiverad
N: avstängd on-demand manual manually
v: periodically regularly occasionally sometimes often frequently regelmäßig gelegentlich häufig periódicamente
v: regularmente ocasionalmente frecuentemente frequentemente periodicamente régulièrement périodiquement souvent parfois
v: регулярно иногда часто периодически regelbundet ibland ofta
~: during при while the a an el os las los les la der den das dem de do da du des del beim bei no na nos nas of in as
~: approx approximately aprox about around ca circa environ ungefähr ungefär etwa rund cerca alrededor aproximadamente
~: roughly примерно около more than over mehr als más mais de более больше plus
~: each- per- o'clock uhr
"""

FUSED = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "mo": 2592000, "y": 31536000, "ч": 3600, "д": 86400}
"""Units that count only right after a number: `30m`, `2d`."""

PHRASES = (
    ("fin de semana", "fin-de-semana"),
    ("fines de semana", "fin-de-semana"),
    ("fim de semana", "fin-de-semana"),
    ("fins de semana", "fin-de-semana"),
    ("hour and a half", "ninetymin"),
    ("heure et demie", "ninetymin"),
    ("hora y media", "ninetymin"),
    ("hora e meia", "ninetymin"),
    ("quarter of an hour", "quarterhour"),
    ("quarter hour", "quarterhour"),
    ("quarter-hour", "quarterhour"),
    ("quart d'heure", "quarterhour"),
    ("quart d’heure", "quarterhour"),
    ("cuarto de hora", "quarterhour"),
    ("quarto de hora", "quarterhour"),
    ("четверть часа", "quarterhour"),
    ("half hourly", "halfhourly"),
    ("half an hour", "halfhour"),
    ("an hour", "hour"),
    ("or more", "more"),
    ("oder mehr", "mehr"),
    ("o más", "más"),
    ("ou mais", "mais"),
    ("ou plus", "more"),
    ("или больше", "больше"),
    ("или более", "более"),
    ("half hour", "halfhour"),
    ("halbe stunde", "halfhour"),
    ("media hora", "halfhour"),
    ("meia hora", "halfhour"),
    ("demi heure", "halfhour"),
    ("halv timme", "halfhour"),
    ("de hora em hora", "hourly"),
    ("business hours", "deskhours"),
    ("working hours", "deskhours"),
    ("office hours", "deskhours"),
    ("dia sim, dia não", "alterday"),
    ("dia sim dia não", "alterday"),
    ("um dia sim um dia não", "alterday"),
    ("un jour sur deux", "alterday"),
    ("через день", "alterday"),
    ("un día sí y otro no", "alterday"),
    ("a las", "at"),
    ("on demand", "on-demand"),
    ("round robin", "rotate"),
    ("à tour de rôle", "rotate"),
    ("business days", "weekdays"),
    ("working days", "weekdays"),
    ("half-hourly", "halfhourly"),
    ("half-hour", "halfhour"),
    ("every now and then", "occasionally"),
    ("every so often", "occasionally"),
    ("from time to time", "occasionally"),
    ("ab und zu", "ibland"),
    ("de vez en cuando", "ocasionalmente"),
    ("de vez em quando", "ocasionalmente"),
    ("de temps en temps", "parfois"),
)
"""Several words that mean one; looked for only where the text holds the first of them."""

ADJECTIVE_OF = frozenset(
    {
        "note",
        "notes",
        "log",
        "logs",
        "journal",
        "memory",
        "memories",
        "file",
        "files",
        "limit",
        "limits",
        "budget",
        "cost",
    }
    | {"quota", "cap", "usage", "costs", "notiz", "notizen", "nota", "notas", "заметки", "заметку", "anteckningar"}
)
"""After "daily" these make it a name ("the daily notes"), not a schedule."""


def _entries(table: str) -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for row in table.strip().splitlines():
        meaning, _, words = row.partition(": ")
        symbols = tuple((part[0], part[1:]) for part in meaning.split(" "))
        for word in words.split():
            found.setdefault(word, symbols)
    return found


WORDS = _entries(_TABLE)
"""Lower-case word to its (symbol, value) pairs."""

CJK: tuple[tuple[str, str], ...] = (
    ("每隔一天|隔天|隔日", "e o2 u86400"),
    ("每隔一周|隔周|隔週", "e o2 u604800"),
    ("毎時|每时|每時", "e u3600"),
    ("天天", "e u86400"),
    ("每隔|每|毎|各", "e"),
    ("半小时|半小時|半時間", "u1800"),
    ("刻钟|刻鐘", "u900"),
    ("小时|小時|時間|钟头", "u3600"),
    ("分钟|分鐘|分間", "u60"),
    ("心跳|心拍|ハートビート|鼓動|ビート", "b"),
    ("次|回|遍", "x"),
    ("ごとに|ごと|毎に", "E"),
    ("おきに|おき", "E+1"),
    ("工作日|平日", "g01234"),
    ("周末|週末", "g56"),
    ("早上|早晨|上午|午前|朝", "p6-12"),
    ("中午|正午", "t720"),
    ("下午|午后|午後", "p12-18"),
    ("晚上|傍晚|夕方|晩|晚", "p18-22"),
    ("夜间|夜間|深夜|夜", "p22-6"),
    ("年", "u31536000"),
    ("个月|個月|ヶ月|か月|カ月", "u2592000"),
    ("周|週間|週|星期|礼拜", "u604800"),
    ("日間|天|日", "u86400"),
    ("月", "u2592000"),
    ("分", "u60"),
    ("秒", "u1"),
    ("几|幾|数", "f3"),
    ("个|個", "~"),
    ("只|仅|のみ|だけ|如果", "l"),
    ("距上次|前回から|以来", "s"),
    ("大约|大約|大概|约|約|およそ|ほど|くらい|左右|以上|超过|至少|少なくとも", "~"),
    ("到|至|から|或", "-"),
    ("轮流|輪流|轮换|順番|交代|交替|持ち回り", "r"),
    ("停用|暂停|無効", "N"),
    ("定期的|定期|时常|時々", "v"),
    ("まで|に|の|は|を|で|在|的|必做", "~"),
)
"""Chinese and Japanese, which have no spaces between words: the first alternative that fits, in this order."""

CJK_WEEKDAYS = {
    char: day for day, chars in enumerate(("一月", "二火", "三水", "四木", "五金", "六土", "日天")) for char in chars
}
DIGITS = {char: digit for digit, char in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "兩": 2}
AFTERNOON = ("下午", "晚", "晩", "午後", "午后", "夜")

SHORT_DAYS = dict(zip(("mo", "di", "mi", "do", "fr", "sa", "so"), "0123456", strict=True))
"""German weekdays that are words elsewhere: read only in a range such as `Mo-Fr`."""
