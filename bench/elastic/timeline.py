"""A timeline as SVG: workers over time, the loss, what was killed or frozen."""

from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, BOTTOM = 900, 260, 50, 40
COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1"]


def draw(path, title, bands, losses=(), marks=()):
    """`bands`: (name, [(second, slots)]), stacked; `losses`: [(second, loss)];
    `marks`: [(second, text)]."""
    end = max([second for _, points in bands for second, _ in points] or [1]) or 1
    seconds = sorted({second for _, points in bands for second, _ in points})
    levels = [{second: at(points, second) for second in seconds} for _, points in bands]
    most = max([sum(level[second] for level in levels) for second in seconds] or [1]) or 1

    def x(second):
        return LEFT + (WIDTH - LEFT - 10) * second / end

    def y(value):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 40) * value / most

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="16" font-size="14">{escape(title)}</text>']
    below = dict.fromkeys(seconds, 0)
    for number, (name, _) in enumerate(bands):
        upper = {second: below[second] + levels[number][second] for second in seconds}
        colour = COLOURS[number % len(COLOURS)]
        edge = steps(seconds, upper, end) + steps(seconds, below, end)[::-1]
        points = " ".join(f"{x(second):.1f},{y(value):.1f}" for second, value in edge)
        out.append(f'<polygon points="{points}" fill="{colour}" fill-opacity="0.6"/>')
        out.append(f'<text x="{LEFT + 110 * number}" y="32" fill="{colour}">{escape(name)}</text>')
        below = upper
    if losses:
        top = max(loss for _, loss in losses) or 1
        points = " ".join(f"{x(second):.1f},{y(loss / top * most):.1f}" for second, loss in losses)
        out.append(f'<polyline points="{points}" fill="none" stroke="#333"/>')
        out.append(f'<text x="{WIDTH - 130}" y="32">loss, from {top:.3g}</text>')
    for second, text in marks:
        out.append(f'<line x1="{x(second):.1f}" x2="{x(second):.1f}" y1="40" '
                   f'y2="{HEIGHT - BOTTOM}" stroke="#e15759"><title>{escape(text)}</title></line>')
    for value in sorted({0, most // 2, most}):
        out.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value}</text>')
    for tenth in range(0, 11, 2):
        out.append(f'<text x="{x(end * tenth / 10):.1f}" y="{HEIGHT - BOTTOM + 16}" '
                   f'text-anchor="middle">{end * tenth / 10:.1f} s</text>')
    out.append("</svg>\n")
    path.write_text("\n".join(out))


def at(points, second):
    value = 0
    for when, slots in points:
        if when > second:
            break
        value = slots
    return value


def steps(seconds, levels, end):
    line = []
    for number, second in enumerate(seconds):
        until = seconds[number + 1] if number + 1 < len(seconds) else end
        line += [(second, levels[second]), (until, levels[second])]
    return line
