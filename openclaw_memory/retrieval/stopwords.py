"""Words that carry no topic, folded: English, Portuguese, Spanish. They weigh little in a query, and are not required.

Imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Sequence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = _words(
    """
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot cant could did didnt do does doesnt doing dont down during each few for from further get gets getting give given
go got had has hasnt have havent having he her here hers herself him himself his how i id if ill im in into is isnt it
its itself ive just let lets like may me might more most much must my myself need needs no nor not now of off on once
one only or other our ours ourselves out over own please s same shall she should so some such t tell than that thats
the their theirs them themselves then there these they this those through to too under until up us use used using very
want wants was wasnt we were what whats when where whether which while who whom whose why will with would you your
yours yourself
"""
)
_PORTUGUESE = _words(
    """
a ao aos aquela aquele aquilo as ate com como da das de dela dele deles depois do dos e ela elas ele eles em entre era
essa esse esta este eu foi foram ha isso isto ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa
nosso num numa o onde os ou para pela pelas pelo pelos por porque pois qual quais quando quanto que quem se sem ser
seu seus sido so sua suas sobre tambem tem tinha um uma umas uns voce voces sao pode podem
"""
)
_SPANISH = _words(
    """
al algo ante asi cada como con contra cual cuales cuando de del desde donde dos el ella ellas ellos en entre era eran
es esa ese eso esta estaba estan este esto estos fue fueron ha han hasta hay la las le les lo los mas me mi mis mucho
muy nada ni nos nosotros o otra otro para pero poco por porque pues que quien se segun ser si sido sin sobre son su
sus tambien tanto te tiene todo tu tus un una unas uno unos y ya yo
"""
)
STOPWORDS = (_ENGLISH, _PORTUGUESE, _SPANISH)


def topicless(words: Sequence[str]) -> frozenset[str]:
    """The stop words of the language that most of `words` are stop words of (a "son" in English is no stop word).

    Nothing where all words are: then they are what is looked for.
    """
    best = max(STOPWORDS, key=lambda stops: sum(word in stops for word in words))
    return frozenset() if all(word in best or not word for word in words) else best
