"""The site's pictures, all from runs of the built program: charts, the shell, a notebook, a report."""

import html
import os
import re
import shutil
import subprocess

from collect import HERE, ROOT

COLORS = {"31": "#c0392b", "32": "#2e8b57", "33": "#b8860b", "36": "#1f7a8c", "90": "#7f8c8d"}
THEMES = {"light": ("", "#f6f8fa", "#d0d7de", "#1f2328"), "dark": ("-dark", "#161b22", "#30363d", "#e6edf3")}
CHARTS = ("importance", "shap", "roc", "confusion", "calibration", "dependence")
MODEL = "churn"
NOTEBOOK, NOTEBOOK_PAGE = "<!-- notebook -->", "start/pictures.md"
UNSEEN = "SELECT * FROM customers WHERE id % 4 = 0"
SHELL = ("SELECT id, age, plan, calls, churned FROM customers LIMIT 3",
         f"SELECT * FROM customers WHERE id % 4 > 0 TO TRAIN LGBMClassifier WITH max_depth = 4 LABEL churned INTO {MODEL}",
         f"SELECT * FROM customers WHERE id % 4 = 0 TO EVALUATE {MODEL}")
SALES = f".import {ROOT}/examples/data/sales.csv receipts"
SALES_BY_DAY = "CREATE VIEW sales_by_day AS SELECT shop, day, sum(amount) AS sales FROM receipts GROUP BY shop, day"
FORECAST = ("SELECT shop, day, sales FROM sales_by_day TO TRAIN Forecast WITH forecast.time = 'day', forecast.group = 'shop', "
            "forecast.horizon = 14, forecast.gaps = 'zero' LABEL sales INTO sales_model")
HARBOUR = ("SELECT shop, day, sales FROM sales_by_day WHERE shop = 'harbour' AND day >= '2025-09-01' UNION ALL "
           "SELECT series, time, NULL FROM totrain_forecast('sales_model') WHERE series = 'harbour' ORDER BY 2")
LINE, WIDTH = 17, 8.05


def spans(line):
    """A line with the colours of a terminal, as tspans of SVG."""
    color, bold, parts = None, False, []
    for piece in re.split(r"(\x1b\[[0-9;]*[A-Za-z])", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if code:
            numbers = code[1].split(";") if code[1] else ["0"]
            bold = "1" in numbers or (bold and "0" not in numbers)
            color = next((COLORS[n] for n in numbers if n in COLORS), None if "0" in numbers else color)
        elif piece and not piece.startswith("\x1b"):
            style = (f' fill="{color}"' if color else "") + (' font-weight="bold"' if bold else "")
            parts.append(f"<tspan{style}>{html.escape(piece)}</tspan>")
    return "".join(parts)


def terminal_picture(lines, ground, border, ink):
    """Lines of a terminal as SVG, in colours of the ground, the border and the letters."""
    width = max(len(re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)) for line in lines) * WIDTH + 32
    height = len(lines) * LINE + 32
    rows = "\n".join(f'<text x="16" y="{28 + number * LINE}" xml:space="preserve">{spans(line)}</text>'
                     for number, line in enumerate(lines))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" role="img">\n'
            '<title>The shell of ToTrain</title>\n'
            f'<rect width="100%" height="100%" rx="8" fill="{ground}" stroke="{border}"/>\n'
            f'<g font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="13" fill="{ink}">\n{rows}\n</g>\n</svg>\n')


def shell_lines(program):
    for statement in SHELL:
        words = re.split(r"(?= TO TRAIN | TO EVALUATE )", statement)
        yield f"\x1b[1mtotrain>\x1b[0m {words[0]}" + ("" if len(words) > 1 else ";")
        for number, word in enumerate(words[1:], 2):
            yield f"\x1b[1m   ...>\x1b[0m {word.strip()}" + (";" if number == len(words) else "")
        yield from program.on_terminal("--progress=none", "--color=always", "-c", statement).splitlines()


def notebook(program, python):
    """Cells of a notebook with their outputs, as HTML on one line each, so that Markdown leaves them alone."""
    folder = program.folder / "notebook"
    shutil.copytree(ROOT / "python" / "totrain", folder / "path" / "totrain")
    binaries = folder / "path" / "totrain" / "bin"
    binaries.mkdir()
    for name in ("totrain", "totrain.so"):
        (binaries / name).symlink_to(program.path.parent / name)
    (folder / "shop.db").symlink_to(program.database)
    environment = {**program.environment, "PYTHONPATH": str(folder / "path"), "IPYTHONDIR": str(folder)}
    done = subprocess.run([python, "-B", HERE / "notebook.py"], cwd=folder, env=environment, text=True,
                          capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"notebook.py: {done.stderr}")
    return re.sub(r"\n\s*\n", "\n", done.stdout)


def show_notebook(pages, cells):
    page = pages / NOTEBOOK_PAGE
    text = page.read_text()
    assert text.count(NOTEBOOK) == 1
    page.write_text(text.replace(NOTEBOOK, f'<div class="notebook">\n{cells}</div>'))


def draw_pictures(folder, program):
    """Draws all that docs/pictures has; the model `churn` is trained on the way, from the table that is there already, and
    a forecast from the table that is imported."""
    folder.mkdir(exist_ok=True)
    lines = list(shell_lines(program))
    for statement in (SALES, SALES_BY_DAY, FORECAST):
        program.run(statement, "table")
    for theme, (suffix, *colors) in THEMES.items():
        (folder / f"shell{suffix}.svg").write_text(terminal_picture(lines, *colors))
        for kind in CHARTS:
            program.command("picture", program.database, MODEL, kind, "-c", UNSEEN, f"--theme={theme}",
                            "-o", folder / f"{kind}{suffix}.svg")
        program.command("picture", program.database, "sales_model", "forecast", "-c", HARBOUR, f"--theme={theme}",
                        "-o", folder / f"forecast{suffix}.svg")
    program.command("report", program.database, MODEL, "-c", UNSEEN, "-o", folder / "report.html")


def draw(pages, program, python):
    draw_pictures(pages / "pictures", program)
    show_notebook(pages, notebook(program, python))
