"""Texts of numbers and dates as people write them, and look-alikes that none of them is, with models that read them."""

import random

MONEY = ("$", "€", "EUR", "US$", "kr", "kr.", "Fr.", "zł", "₹", "¥", "￥", "R$", "NT$", "Kč", "BTC", "￡")
SPACES = ("", " ", "  ", "\t", "\u00a0", "\u202f", "\u2009", "\u3000", "\u200b")
SIGNS = ("-", "+", "\u2212", "－")
SEPARATORS = (".", ",", "'", "\u2019", " ", "\u00a0", "\u202f", "٬", "，", "．", "٫")
MONTHS = ("January", "Feb", "mar", "APRIL", "May", "jun.", "July", "aug", "Sept", "Sep.", "October", "Nov", "december", "Mai",
          "März", "MÄRZ", "mrz.", "Ma\u0308rz", "févr.", "FÉVRIER", "fevrier", "AOÛT", "dic.", "Dez.", "dezembro", "июль", "июля", "ИЮНЬ", "янв.", "мая",
          "Ocak", "ŞUBAT", "Kasım", "KASIM", "NİSAN", "nısan", "ağu.", "marzo", "Maj", "janv", "listopada", "marzÿ", "Мартa", "may.", "×mai")
DAYS = ("Mon", "tuesday", "WED", "Thursday", "Fri", "Sat", "Sunday", "Day", "Sun.", "Sonntag", "lundi", "MIÉRCOLES", "sa\u0301bado", "venerdì", "SØNDAG",
        "Среда", "ПЯТНИЦА", "çarşamba", "ÇARŞAMBA", "Salı", "SALI", "So", "mandag", "Sunÿ")
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
       "2024-03-31 10:30:15.123456", "2024-12-31T10:30:15.999999Z", "1970-01-01 00:00:00.0006", "1999-12-31 23:59:59.9999999",
       "2024-03-31 10:30:15.1234+0200", "0500-01-01", "0500-01-01 10:30:15.5+02:00", "0500-01-01, 10:30 PM",
       "$ 1e3000000000", "1e-99999999999 %", "v", "v12", "$ 12v", "v31.12.2024", "31.12.2024 10:30v", "\v12\v", "\v", "\f$ 5\v", "\v31.12.2024 10:30\v",
       "3. März 2024", "3. MÄRZ 2024", "3. Ma\u0308rz 2024", "3 MÄRZ. 2024", "3. Mär. 2024", "3. Mär.2024", "3märz2024", "3. Märzÿ 2024", "1er mars 2024",
       "1ER MARS 2024", "1ere mars 2024", "1erÿ mars 2024", "24er mars 24", "3 de marzo de 2024", "3 DE MARZO DEL 2024", "de 3 de marzo 2024",
       "3 del 3 del 2024", "3 de de marzo 2024", "3 de\tmarzo 2024", "3 de \tmarzo 2024", "3de marzo 2024", "3 dé marzo 2024", "de", "de ", "3 de 3. 2024",
       "2024年3月5日", "2024年3月5", "2024年3月5日 10:15", "2024年3月5日10:15", "2024年 3月 5日", "2024년 3월 5일", "2024년3월5日", "2024年3月5月", "2024月3年5日",
       "2024年3/5日", "2024年3-5", "24年3月5日", "3月5日2024", "5日3月2024年", "2024年März月5日", "2024/3/5日", "2024/3年5", "2024年\n3月5日", "2024年3月5日.",
       "２０２４年３月５日", "2024년 13월 5일", "2024年３月5日T10:15", "2024. 3. 5.", "2024. 3. 5", "2024.3.5.", "2024. 3.5", "31. 3. 2024.", "31. 3. 24",
       "31. 03. 24", "1. 2. 24", "2024-3-5.", "2024. 3. 5. 10:15", "2024/ 3/ 5", "1 .2.2024", "1.\t2.2024", "Sun Mar 31 10:15:30 2024",
       "Sun Mar 31 10:15:30 +0000 2024", "Sun Mar 31 10:15:30 UTC 2024", "Sun Mar 31 10:15 PM 2024", "Mar 31 10:15 24", "Mar 31 10:15 2024 ", "Mar 3 9:05 1969",
       "Sun Mar  3 10:15:30 2024", "Sun Mar 3\t10:15:30 2024", "Sun 2024年3月 10:15 4日", "Sun 2024-3- 10:15 04th", "Sun 2024-3- 10:15 4th", "ÉSun Mar 31 10:15 2024",
       "Пт мар 31 10:15:30 2024", "пятница мар 31 10:15:30 2024", "Mar 31 :15 2024", "31 Mar 10:15:30 2024", "Sun Mar 31 10:15:30 2024 +02", "Mar 31 10:15 20İ",
       "Mar 31 10:15 202", "Mar 31 10:15 20245", "Mar 31 10:15  2024", "Mar 31 10:15 +02:00 2024", "Mar 31 2024 10:15 2025", "Mar :1 2024", "a:5 2024", "Mar 3 1:05", "Mar 3 2024 1:05",
       "20240331T101530", "20240331t1015", "20240331T1015Z", "20240331T101530+0200", "20240331T101530 utc", "20240331T101530 GMT", "20240331T101530  Z",
       "20240331T1015:30", "20240331T1015:30,5", "20240331T101530.25", "20240331T101530,25", "20240331T1015PM", "20240331T1015 Uhr", "20240331T10153",
       "20240331T1015307", "20240331T10", "20240331 101530", "00010101T0000", "00000101T0000", "20230229T0000", "20240331T2400", "20240331T235960",
       "20240331T1015+02:30", "20240331T1015+16", "20240331T1015-", "20240331T1015.5", "20240331T101530.", "20240331T", "２０２４0331T1015",
       "31.3.2024 10:15:30,250", "31.3.2024 9:15:30,250", "31.3.2024 10:15:30,", "31.3.2024 10:15,5", "31.3.2024 10:15:30,5 PM", "31.3.2024 10:15 Uhr",
       "31.3.2024 10:15Uhr", "31.3.2024, 10:15 UHR", "31.3.2024 10:15 Uhr Z", "31.3.2024 10:15 uhrzeit", "31.3.2024 10:15 pm Uhr", "31.3.2024 10:15 Uhr pm",
       "Sun. 31 Mar 2024", "Sun., 31 Mar 2024", "Sun,. 31 Mar 2024", "So, 31. März 2024", "Sonntag, 31. März 2024", "SONNTAG,31. MÄRZ 2024",
       "sábado 3 de febrero de 2024", "SÁBADO 3 DE FEBRERO DE 2024", "31 NİSAN 2024", "30 NİSAN 2024", "30 nısan 2024", "3 Haziran 2024 Pazartesi",
       "3 июля 2024 г.", "3 ИЮЛЯ 2024", "3 ИЮл. 2024", "31.12.2024v", "v1.2.2024", "12v", "v12", "1.234,5v",
       "0999-01-01 10:15:30.1234567 +0230", "0999-01-01T10:15 utc", "0999-01-01T 10:15", "0999-01-01 10:15 GMT", "0999-01-01 10:15:30.123456",
       "2024-02-29T10:15:30.1234567-0930", "2024-02-29 10:15:30.99999999", "0999-01-01  10:15", "0000-01-01", "0001-01-01T00:00-15", "3 lıpca 2024", "3 may. 2024", "3 mai. 2024", "may.3.2024", "3 ma 2024", "3 _mar 2024",
       "12SET24", "12DEC24", "SET 12 2010", "SEP 12 2010", "5LUG16", "1999OUT12", "Mars 2 1971", "3-de 4-2024", "DE 3/4/2024", "31DEC2024", "2024-Dez-31",
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
        text += f":{draw.randint(0, 61):02}" + draw.choice(("", "", ".5", ".123456", ".1234567", ",250", ",", ",1234567"))
    return text + draw.choice(("", " ")) + draw.choice(("", "", "AM", "pm", "a.m.", "P.M.", "Z", "UTC", "gmt", "+02:00", "-1130", "+5", "+05", "Uhr", "UHR", "Uhr Z"))


def basic(draw):
    """ISO's form without separators, or almost."""
    text = f"{draw.randint(0, 3000):04}{draw.randint(0, 13):02}{draw.randint(0, 32):02}{draw.choice('TTTt ')}{draw.randint(0, 24):02}{draw.randint(0, 60):02}"
    return text + draw.choice(("", f"{draw.randint(0, 61):02}")) + draw.choice(("", "", ".5", ",5", ":30", "7")) + \
        draw.choice(("", "", "Z", " utc", " GMT", "+02", "-0130", "  Z", " +02:00", "pm", " Uhr"))


def signs(draw):
    marks = [draw.choice(("年", "년")), draw.choice(("月", "월")), draw.choice(("日", "일", "日", ""))]
    if draw.random() < 0.15:
        marks[draw.randrange(3)] = draw.choice(("/", "日", "月", "년", " ", ""))
    space = draw.choice(("", "", " ", "  ", "\t"))
    fields = [draw.choice((draw.randint(1900, 2100), draw.randint(0, 99))), draw.choice((draw.randint(0, 13), draw.choice(MONTHS))), draw.randint(0, 32)]
    return space.join(f"{field}{mark}" for field, mark in zip(fields, marks))


def year_last(draw):
    text = f"{draw.choice(DAYS)} {draw.choice(MONTHS)} {draw.choice(('', ' '))}{draw.randint(0, 32)} {time(draw)}"
    return text + draw.choice((" ", " ", "", "  ")) + draw.choice((str(draw.randint(1900, 2100)), str(draw.randint(0, 99999)), "4th ", "4日", "04th"))


def articles(draw):
    article = draw.choice(("de", "De", "del", "of", "dé", "de de"))
    return f"{draw.randint(0, 32)} {article} {draw.choice((draw.choice(MONTHS), '3'))} {draw.choice((article, 'de'))} {draw.randint(1900, 2100)}"


def date(draw):
    if draw.random() < 0.4:
        text = draw.choice((basic, signs, year_last, articles))(draw)
        return text + (draw.choice((" ", " ", "", ", ")) + time(draw) if draw.random() < 0.3 else "")
    year = draw.choice((draw.randint(0, 99), draw.randint(1900, 2100), draw.randint(0, 10000)))
    fields = [f"{draw.randint(0, 32):02}", draw.choice((f"{draw.randint(0, 13):02}", draw.choice(MONTHS))), f"{year:02}"]
    if draw.random() < 0.3:
        fields = [field.lstrip("0") or "0" for field in fields]
    order = draw.choice(((0, 1, 2), (1, 0, 2), (2, 1, 0)))
    between = draw.choice("./- ,") + draw.choice(("", "", " "))
    other = between if draw.random() < 0.9 else draw.choice("./- ,")
    text = fields[order[0]] + draw.choice(("", "", "", "st", "th", "er", "ER")) * (draw.random() < 0.2) + between + fields[order[1]] + other + fields[order[2]]
    if draw.random() < 0.2:
        text = draw.choice(DAYS) + draw.choice((", ", " ", ",", "", ". ", ".,")) + text
    if draw.random() < 0.4:
        text += draw.choice((" ", " ", ", ", "T", ":", "  ", ",", "\t")) + time(draw)
    return text


def text_of(draw):
    """A number, a date, or something like one, perhaps with a character changed."""
    kind = draw.random()
    text = draw.choice(ODD) if kind < 0.15 else number(draw) if kind < 0.6 else date(draw)
    if draw.random() < 0.15 and text:
        at = draw.randrange(len(text))
        other = draw.choice(("", draw.choice("0123456789.,-+ '%$()/:eEaptT\n_éÄИ年İ"), draw.choice(MONEY + SPACES)))
        text = text[:at] + other + text[at + draw.randint(0, 1):]
    return draw.choice(("", "", " ", "\n")) + text + draw.choice(("", "", " "))


def texts(count, seed):
    draw = random.Random(seed)
    return list(ODD) + [text_of(draw) for _ in range(count)]
