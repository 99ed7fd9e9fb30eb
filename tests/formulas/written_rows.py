"""Texts of numbers and dates as people write them, and look-alikes that none of them is, with models that read them."""

import random

MONEY = ("$", "€", "EUR", "US$", "kr", "kr.", "Fr.", "zł", "₹", "¥", "￥", "R$", "NT$", "Kč", "BTC", "￡")
SPACES = ("", " ", "  ", "\t", "\u00a0", "\u202f", "\u2009", "\u3000", "\u200b")
SIGNS = ("-", "+", "\u2212", "－")
SEPARATORS = (".", ",", "'", "\u2019", " ", "\u00a0", "\u202f", "٬", "，", "．", "٫")
MONTHS = ("January", "Feb", "mar", "APRIL", "May", "jun.", "July", "aug", "Sept", "Sep.", "October", "Nov", "december", "Mai")
DAYS = ("Mon", "tuesday", "WED", "Thursday", "Fri", "Sat", "Sunday", "Day")
ODD = ("", " ", "\t\n", "n/a", "NULL", "-", "--", ".", ",", "?", "#N/A", "\\N", "yes", "0", "-0", "00", "007", "007.5", "1e5", "1E-5", "1e999",
       "1e-999", "-1e308", "1.8e308", "5e-324", "2.5e-324", "1.", "1,", ".5", ",5", "1,234", "1.234", "0,123", "0.123", "1,2345", "12,34,567",
       "1,23,456", "123,45,678", "1'234'567.5", "1.234.567,89", "1 234,50", "1 234 567", "1,234.567,8", "$", "$$5", "$ 5 $", "5 $ %", "12 %",
       "%12", "12%%", "(12)", "(-12)", "-(12)", "($12)", "$(12)", "(12", "12)", "()", "( )", "(5)%", "-5-", "5-", "5,-", "5.--", "5,\u2013", "5\u2212",
       "--5", "+-5", "5+", "12e3%", "1,234e2", "1.5e3 kr", "1e1234", "1e+3", "e5", "5e", "EUR5EUR", "EUR 5", "5 eur", "5USD", "USD 5,-", "kr.5",
       "5 kr..", "١٢٫٥", "۱۲۳", "１２．５", "１,２３４", "٣١/١٢/٢٠٢٤", "1_234", "1\u200b2", "12\u00ad", "9" * 64, "9" * 65, "1" + "0" * 398,
       "0.1", "0,1", "0.30000000000000004", "9007199254740993", "9.007.199.254.740.993", "179769313486231580793728971405301",
       "1,234,567,890,123,456.789", "123,456,789,012,345,678,901,234,567,890,123,456,789,012,345,678.", "$1" + ",234" * 15 + ".",
       "1" + ",234" * 15 + ".", "+1" + ",234" * 15 + ".5", "1" + ".234" * 15, "2024-02-29", "2024-02-30", "2023-2-29", "0001-01-01", "0999/1/1",
       "9999-12-31 23:59:59.999", "31.12.2024", "12/31/2024", "31/12/2024", "1/2/2024", "1.2.2024", "1/1/2024", "1-2-24", "1.2.10", "01.02.10",
       "13/1/69", "13/1/68", "24/03/31", "99/12/31", "2024/3/31", "2024.03.31", "2024 3 31", "2024-3-31T9:05", "2024-3-31, 9:05 PM",
       "31-Mar-2024", "31Mar2024", "2024Mar31", "March31,2024", "March 31st, 2024", "march 31 , 2024", "Mar. 31 2024", "Sept. 1, 2024",
       "September.1,2024", "31st of March 2024", "1st Jan 2024", "2rd Feb 24", "1sts Jan 2024", "Sun, 31 Mar 2024", "Sun,31 Mar 2024",
       "Sunday31 Mar 2024", "Sun 31 Mar 2024 10:30:15 pm GMT", "Su 31 Mar 2024", "31.12.2024 11:59:60 PM", "31.12.2024 0:59:60 AM",
       "31.12.2024 12:00 AM", "31.12.2024 12:30 p.m.", "31.12.2024 13:00 PM", "31.12.2024 0:00 AM", "31.12.2024 24:00", "31.12.2024 1:2",
       "31.12.2024 10:30:", "31.12.2024 10:30:15.", "31.12.2024:10:30", "31.12.2024T10:30Z", "31.12.2024,10:30", "31.12.2024,", "31.12.2024 ,10:30",
       "31.12.2024 10:30 utc", "31.12.2024 10:30 +02:00", "31.12.2024 10:30-1130", "31.12.2024 10:30 -16", "31.12.2024 10:30 +02:60",
       "31.12.2024 10:30 +2", "31.12.2024 10:30pm+02", "31.12.2024 10:30:15.1234567", "32.12.2024", "31.11.2024", "0.1.2024", "1.0.2024",
       "00.00.0000", "1.1.0999", "1.1.1000", "1.1.12345", "1/2-2024", "1//2/2024", "1/ 2/2024", "1. 2. 2024", "31. 12. 2024", "1 2 2024", "1,2,2024",
       "29.02.1900", "29.02.2000", "1-Jan-70", "1-jan-69", "May 2024", "May 1", "12:30", "１/２/２０２４", "31\u200b.12.2024", "31/12/2024\u200e",
       "x'); DROP TABLE t; --", "it's", "\\", "$totrain$", "@F", "{F}", "~")
READINGS = {"comma": 5, "point": 4, "separated": 1, "day": 7, "month": 8, "either": 6}  # numbers of params/terms.h
TYPES = ", ".join(f"{name} TEXT" for name in READINGS)


def digits(draw):
    return str(draw.choice((draw.randint(0, 9), draw.randint(0, 999), draw.randint(1000, 999999), draw.randint(0, 10**draw.randint(7, 25)))))


def number(draw):
    """By any rule, and by none."""
    between, behind = draw.choice(SEPARATORS), draw.choice(SEPARATORS)
    whole = digits(draw)
    if draw.random() < 0.6:
        group = draw.choice((3, 3, 3, 2, 4))
        head, tail = whole[:max(1, len(whole) - 3)], whole[max(1, len(whole) - 3):]
        parts = [tail] if tail else []
        while head:
            parts.insert(0, head[-group:])
            head = head[:-group]
        whole = between.join(parts)
    text = whole + (behind + digits(draw) if draw.random() < 0.5 else "")
    if draw.random() < 0.08:
        text += draw.choice("eE") + draw.choice(("", "-", "+")) + str(draw.randint(0, 400))
    for _ in range(draw.choice((0, 0, 1, 1, 2, 3))):
        mark = draw.choice((draw.choice(MONEY), draw.choice(SIGNS), "%", ",-", ".--", "()"))
        space = draw.choice(SPACES)
        text = f"({text})" if mark == "()" else mark + space + text if draw.random() < 0.6 else text + space + mark
    return text


def time(draw):
    text = f"{draw.randint(0, 25)}:{draw.randint(0, 61):02}"
    if draw.random() < 0.4:
        text += f":{draw.randint(0, 61):02}" + draw.choice(("", "", ".5", ".123456", ".1234567"))
    return text + draw.choice(("", " ")) + draw.choice(("", "", "AM", "pm", "a.m.", "P.M.", "Z", "UTC", "gmt", "+02:00", "-1130", "+5", "+05"))


def date(draw):
    year = draw.choice((draw.randint(0, 99), draw.randint(1900, 2100), draw.randint(0, 10000)))
    fields = [f"{draw.randint(0, 32):02}", draw.choice((f"{draw.randint(0, 13):02}", draw.choice(MONTHS))), f"{year:02}"]
    if draw.random() < 0.3:
        fields = [field.lstrip("0") or "0" for field in fields]
    order = draw.choice(((0, 1, 2), (1, 0, 2), (2, 1, 0)))
    between = draw.choice("./- ,") + draw.choice(("", "", " "))
    other = between if draw.random() < 0.9 else draw.choice("./- ,")
    text = fields[order[0]] + draw.choice(("", "", "", "st", "th")) * (draw.random() < 0.2) + between + fields[order[1]] + other + fields[order[2]]
    if draw.random() < 0.2:
        text = draw.choice(DAYS) + draw.choice((", ", " ", ",", "")) + text
    if draw.random() < 0.4:
        text += draw.choice((" ", " ", ", ", "T", ":", "  ", ",", "\t")) + time(draw)
    return text


def text_of(draw):
    """A number, a date, or something like one, perhaps with a character changed."""
    kind = draw.random()
    text = draw.choice(ODD) if kind < 0.15 else number(draw) if kind < 0.6 else date(draw)
    if draw.random() < 0.15 and text:
        at = draw.randrange(len(text))
        other = draw.choice(("", draw.choice("0123456789.,-+ '%$()/:eEaptT\n_"), draw.choice(MONEY + SPACES)))
        text = text[:at] + other + text[at + draw.randint(0, 1):]
    return draw.choice(("", "", " ", "\n")) + text + draw.choice(("", "", " "))


def texts(count, seed):
    draw = random.Random(seed)
    return list(ODD) + [text_of(draw) for _ in range(count)]
