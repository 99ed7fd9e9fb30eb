// The console's page. All that comes from a database becomes text (textContent), never markup.
"use strict";

const base = document.querySelector('meta[name="totrain-base"]').content;
const csrf = document.querySelector('meta[name="totrain-csrf"]').content;
const NOW = ["waiting", "running", "publishing"];
const BAD = ["failed", "lost", "cancelled", "unpublished"];
const PICTURES = ["history", "confusion", "roc", "pr", "gain", "calibration", "residuals", "importance", "shap", "dependence"];
const SVG = "http://www.w3.org/2000/svg";
const SAMPLES_MAX = 600, EVENTS_SHOWN = 300, POINTS_MAX = 1500, LOG_MAX = 400000, OVERLAP = 64;

// ----- elements -----

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    } else if (value !== null && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) made.append(child);
  }
  return made;
}

const element = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const shape = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const find = (id) => document.getElementById(id);

function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

// ----- numbers -----

const whole = new Intl.NumberFormat("en");

function short(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return whole.format(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(3);
  const rounded = Number(value.toPrecision(5));
  return size < 1000 ? String(rounded) : whole.format(rounded);
}

function duration(seconds) {
  if (seconds === null) return "";
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const all = Math.round(seconds), two = (value) => String(value).padStart(2, "0");
  return all < 3600 ? `${Math.floor(all / 60)}:${two(all % 60)} min`
    : `${Math.floor(all / 3600)}:${two(Math.floor(all / 60) % 60)} h`;
}

const percent = (share) => (share === null ? "" : `${(100 * share).toFixed(0)} %`);

function bytes(size) {
  if (size === null || size === undefined) return "";
  const units = ["B", "KiB", "MiB", "GiB"];
  let at = 0;
  for (; size >= 1024 && at < units.length - 1; at++) size /= 1024;
  return `${at ? size.toFixed(1) : size} ${units[at]}`;
}

const moment = (text) => (text || "").replace("T", " ").replace(/Z$/, " UTC");

// ----- the server -----

async function ask(path, body) {
  const options = { cache: "no-store", credentials: "omit" };
  if (body) {
    options.method = "POST";
    options.headers = { "X-Totrain-Csrf": csrf, "Content-Type": "application/x-www-form-urlencoded" };
    options.body = new URLSearchParams(body).toString();
  }
  const answer = await fetch(base + path, options);
  const isJson = (answer.headers.get("Content-Type") || "").startsWith("application/json");
  const value = isJson ? await answer.json() : { error: (await answer.text()).trim() };
  if (!answer.ok) throw new Error(value.error + (value.hint ? ` ${value.hint}` : ""));
  return value;
}

const query = (path, values) => `${path}?${new URLSearchParams(values)}`;

function tell(words, isBad) {
  setText(find("state"), words);
  find("state").classList.toggle("bad", Boolean(isBad));
}

function named(columns, row) {
  const made = {};
  columns.forEach((column, i) => { made[column] = row[i]; });
  return made;
}

// ----- charts -----

/* Steps of 1, 2 or 5 times a power of ten, `most` of them or fewer. */
function ticks(least, greatest, most = 9) {
  const rough = (greatest - least) / most || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const found = [];
  for (let at = Math.ceil(least / step) * step; at <= greatest + step * 1e-9; at += step) found.push(Number(at.toPrecision(10)));
  return found;
}

function thin(points) {
  const stride = Math.ceil(points.length / POINTS_MAX);
  return stride < 2 ? points : points.filter((_, i) => i % stride === 0 || i === points.length - 1);
}

const W_MAX = 560, W_MIN = 260, H = 250, LEFT_MIN = 66, RIGHT = 24, TICK_WIDTH = 55, DIGIT_WIDTH = 7.5, TOP = 26, BOTTOM = 42, UNIT_MAX = 60;

const last = (one) => one.points[one.points.length - 1][1];
const cut = (text) => (text.length > UNIT_MAX ? `${text.slice(0, UNIT_MAX - 1)}\u2026` : text);

/* The names and last values of the curves. */
function key(series) {
  return element("p", { class: "key" }, ...series.map((one) => element("span", {},
    shape("svg", { width: 28, height: 10, viewBox: "0 0 28 10", "aria-hidden": "true" }, shape("line", { class: one.style, x1: 2, x2: 26, y1: 5, y2: 5 })),
    ` ${one.name} ${short(last(one))}`)));
}

/* series: [{name, style, points: [[x, y]]}]. A new figure. */
function chart(title, xName, yName, series) {
  const W = Math.max(W_MIN, Math.min(W_MAX, find("job-curves").clientWidth || W_MAX)); // its text is not scaled down
  const all = series.flatMap((one) => one.points);
  const words = series.map((one) => `${one.name} ${short(last(one))}`).join(", ");
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of all) { x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y); }
  if (x0 === x1) { x0 -= 0.5; x1 += 0.5; }
  if (y0 === y1) { const half = Math.abs(y0) * 0.1 || 0.5; y0 -= half; y1 += half; }
  const margin = (y1 - y0) * 0.05;
  y0 = y0 >= 0 && y0 - margin < 0 ? 0 : y0 - margin;
  y1 += margin;
  const LEFT = Math.max(LEFT_MIN, 16 + DIGIT_WIDTH * Math.max(...ticks(y0, y1).map((y) => short(y).length)));
  const px = (x) => LEFT + (x - x0) / (x1 - x0) * (W - LEFT - RIGHT);
  const py = (y) => H - BOTTOM - (y - y0) / (y1 - y0) * (H - TOP - BOTTOM);
  const drawn = shape("svg", { viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "img", "aria-label": `${title}: now ${words}` });
  for (const y of ticks(y0, y1)) {
    drawn.append(shape("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: py(y), y2: py(y) }),
                 shape("text", { x: LEFT - 8, y: py(y) + 4, "text-anchor": "end" }, short(y)));
  }
  for (const x of ticks(x0, x1, Math.floor((W - LEFT - RIGHT) / TICK_WIDTH))) {
    if (xName !== SECONDS && !Number.isInteger(x)) continue;
    drawn.append(shape("line", { class: "axis", x1: px(x), x2: px(x), y1: H - BOTTOM, y2: H - BOTTOM + 4 }),
                 shape("text", { x: px(x), y: H - BOTTOM + 17, "text-anchor": "middle" }, short(x)));
  }
  drawn.append(shape("path", { class: "axis", d: `M${LEFT},${TOP}V${H - BOTTOM}H${W - RIGHT}` }),
               shape("text", { x: (LEFT + W - RIGHT) / 2, y: H - 6, "text-anchor": "middle", class: "soft" }, xName),
               shape("text", { x: 8, y: 14, class: "soft unit" }, cut(yName)));
  for (const one of series) {
    const points = thin(one.points);
    if (points.length === 1) drawn.append(shape("circle", { class: one.style, cx: px(points[0][0]), cy: py(points[0][1]), r: 3 }));
    else drawn.append(shape("path", { class: one.style, d: "M" + points.map(([x, y]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join("L") }));
  }
  return element("figure", {}, element("figcaption", {}, title), key(series), drawn);
}

const SECONDS = "seconds since the job began";

/* The title and the unit of a metric's chart; the score has the name that the server knows. */
function described(metric, score) {
  if (metric === "loss") return ["Loss", "loss"];
  if (metric !== "score") return [metric, metric];
  if (score.name === "accuracy") return ["Accuracy on validation rows", "share of rows"];
  if (score.name === "RMSE") return ["RMSE on validation rows", score.label ? `in units of ${score.label}` : "RMSE"];
  return ["Score on validation rows", "score"];
}

function curves(metrics, score) {
  const byMetric = new Map([["loss", new Map()], ["score", new Map()]]); // they come first
  for (const [epoch, step, metric, part, value] of metrics) {
    if (metric === "seconds" || value === null) continue;
    if (!byMetric.has(metric)) byMetric.set(metric, new Map());
    const parts = byMetric.get(metric);
    if (!parts.has(part)) parts.set(part, []);
    parts.get(part).push([epoch, step, value]);
  }
  return [...byMetric].filter(([, parts]) => parts.size > 0).map(([metric, parts]) => {
    const epochs = new Set([...parts.values()].flat().map((point) => point[0]));
    const at = epochs.size > 1 ? 0 : 1;
    const [title, unit] = described(metric, score);
    return chart(title, at === 0 ? "epoch" : "step", unit, [...parts].map(([part, points]) => (
      { name: part === "train" ? "training" : part, style: part === "train" ? "train" : "validation",
        points: points.map((point) => [point[at], point[2]]) })));
  });
}

// ----- the timeline -----

const STARTS = ["joined"], ENDS = ["left", "lost", "failed"], KILLS = ["lost", "failed", "silent", "hangs"];
const MOVES = ["lanes", "moved", "moving", "balanced", "group"];

/* Who leaves as he was asked to says so; of who is killed the connection closes. */
const isKill = (mark) => KILLS.includes(mark.event) || (mark.event === "left" && (mark.detail || "").startsWith("closed"));

function lanesOf(events, workers, end) {
  const rows = new Map();
  const row = (role, index) => {
    const key = `${role} ${index}`;
    if (!rows.has(key)) rows.set(key, { role, index, name: index < 0 ? role : key, spans: [], open: null, marks: [] });
    return rows.get(key);
  };
  for (const [role, index] of workers) row(role, index);
  for (const [at, role, index, event, detail] of events) {
    const one = row(role, index);
    if (STARTS.includes(event) && one.open === null) one.open = at;
    if (ENDS.includes(event) && one.open !== null) { one.spans.push([one.open, at]); one.open = null; }
    one.marks.push({ at, event, detail });
  }
  for (const one of rows.values()) {
    if (one.role === "master" && one.open === null && one.spans.length === 0) one.open = 0;
    if (one.open !== null) one.spans.push([one.open, end]);
  }
  const rank = (role) => ["master", "ps", "worker"].indexOf(role);
  return [...rows.values()].sort((a, b) => rank(a.role) - rank(b.role) || a.index - b.index);
}

function markOf(mark, x, y, height) {
  const half = Math.max(2.5, Math.min(5, height / 2)), title = shape("title", {}, `${mark.at.toFixed(2)} s: ${mark.event} ${mark.detail || ""}`);
  if (mark.event === "checkpoint" || mark.event === "model")
    return shape("line", { class: "checkpoint", x1: x, x2: x, y1: y - height / 2, y2: y + height / 2 }, title);
  if (isKill(mark))
    return shape("path", { class: "kill", d: `M${x - half},${y - half}l${2 * half},${2 * half}m0,${-2 * half}l${-2 * half},${2 * half}` }, title);
  if (MOVES.includes(mark.event))
    return shape("path", { class: "move", d: `M${x},${y - half}l${half},${half}l${-half},${half}l${-half},${-half}z` }, title);
  return STARTS.includes(mark.event) ? null : shape("circle", { class: "other", cx: x, cy: y, r: half * 0.7 }, title);
}

function timeline(events, workers, seconds) {
  const end = Math.max(seconds || 0, ...events.slice(-1).map((event) => event[0]), 0.001);
  const rows = lanesOf(events, workers, end);
  const height = Math.max(5, Math.min(18, Math.floor(900 / Math.max(1, rows.length))));
  const width = 1000, left = 84, right = 16, top = 8, bottom = 40, all = top + rows.length * height + bottom;
  const px = (at) => left + at / end * (width - left - right);
  const every = Math.ceil(13 / height);
  const here = rows.filter((row) => row.role === "worker" && row.spans.some((span) => span[1] === end)).length;
  const drawn = shape("svg", { viewBox: `0 0 ${width} ${all}`, width, height: all, role: "img",
    "aria-label": `Timeline of ${rows.length} processes over ${duration(end)}; ${here} workers at its end` });
  for (const at of ticks(0, end)) {
    drawn.append(shape("line", { class: "grid", x1: px(at), x2: px(at), y1: top, y2: all - bottom }),
                 shape("text", { x: px(at), y: all - bottom + 16, "text-anchor": "middle" }, short(at)));
  }
  drawn.append(shape("text", { x: (left + width - right) / 2, y: all - 4, "text-anchor": "middle", class: "soft" }, "seconds since the job began"));
  rows.forEach((row, i) => {
    const y = top + (i + 0.5) * height;
    if (i % every === 0) drawn.append(shape("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, row.name));
    for (const [from, to] of row.spans) {
      drawn.append(shape("rect", { class: "present", x: px(from), y: y - height * 0.3, width: Math.max(1, px(to) - px(from)), height: height * 0.6,
        "fill-opacity": 0.55 }, shape("title", {}, `${row.name}: ${from.toFixed(2)} s to ${to.toFixed(2)} s`)));
    }
    for (const mark of row.marks.slice(-EVENTS_SHOWN)) {
      const made = markOf(mark, px(Math.min(mark.at, end)), y, height);
      if (made) drawn.append(made);
    }
  });
  return drawn;
}

function legend() {
  const entry = (draw, words) => element("span", {}, shape("svg", { width: 18, height: 12, viewBox: "0 0 18 12", "aria-hidden": "true" }, draw), ` ${words}`);
  return element("p", { class: "filter legend muted" },
    entry(shape("rect", { class: "present", x: 1, y: 3, width: 16, height: 6, "fill-opacity": 0.55 }), "here"),
    entry(shape("path", { class: "kill", d: "M5,2l8,8m0,-8l-8,8" }), "killed or lost"),
    entry(shape("path", { class: "move", d: "M9,1l5,5l-5,5l-5,-5z" }), "lanes or group changed"),
    entry(shape("line", { class: "checkpoint", x1: 9, x2: 9, y1: 0, y2: 12 }), "checkpoint, model"),
    entry(shape("circle", { class: "other", cx: 9, cy: 6, r: 3.5 }), "other"));
}

// ----- the list of jobs -----

const jobs = new Map();
let version = 0, columns = [];

const keyOf = (job) => (job.owner ? `${job.id}@${job.owner}` : String(job.id));

function progressOf(job) {
  const cell = element("td", { class: "progress-words" });
  if (job.steps > 0 && NOW.includes(job.state))
    cell.append(element("progress", { max: job.steps, value: job.step, "aria-label": `job ${job.id}` }), " ");
  cell.append(job.steps > 0 ? `${short(job.step)} of ${short(job.steps)}` : "");
  return cell;
}

function rowOf(job) {
  const name = job.owner ? `${job.id} (${job.owner})` : String(job.id);
  return element("tr", {},
    element("td", { class: "number" }, element("a", { href: `#job/${encodeURIComponent(keyOf(job))}`, "aria-label": `Job ${name}` }, name)),
    element("td", {}, element("span", { class: `tag ${job.state}` }, job.state)),
    element("td", { class: "name" }, job.model || "", job.error && job.state !== "cancelled" ? element("div", { class: BAD.includes(job.state) ? "error" : "muted" }, job.error) : null),
    progressOf(job),
    element("td", { class: "number" }, NOW.includes(job.state) ? short(job.workers) : ""),
    element("td", { class: "number" }, job.rows_per_second ? short(Math.round(job.rows_per_second)) : ""),
    element("td", { class: "number" }, percent(job.goodput)),
    element("td", { class: "number" }, short(job.validation_loss ?? job.loss)),
    element("td", { class: "number" }, duration(job.seconds)));
}

function isShown(job) {
  const state = find("filter-state").value, text = find("filter-text").value.toLowerCase();
  if (state === "now" && !NOW.includes(job.state)) return false;
  if (state === "bad" && !BAD.includes(job.state)) return false;
  if (state === "done" && job.state !== "done") return false;
  return !text || `${keyOf(job)} ${job.model} ${job.statement} ${job.error || ""}`.toLowerCase().includes(text);
}

/* Rows of jobs that did not change stay the elements that they are. */
function showJobs() {
  const body = find("jobs").tBodies[0];
  const shown = [...jobs.values()].filter(isShown).sort((a, b) => b.id - a.id || (a.owner || "").localeCompare(b.owner || ""));
  const rows = shown.map((job) => job.row);
  if (rows.length !== body.rows.length || rows.some((row, i) => body.rows[i] !== row)) body.replaceChildren(...rows);
  setText(find("job-count"), `${shown.length} of ${jobs.size} ${jobs.size === 1 ? "job" : "jobs"}`);
}

/* The element that has the focus is in the row that is replaced. */
function replaceRow(before, after) {
  const had = before.contains(document.activeElement);
  before.replaceWith(after);
  if (had) after.querySelector("a").focus();
}

function takeJobs(list) {
  const before = list.all ? new Map(jobs) : null;
  columns = list.columns;
  for (const row of list.rows) {
    const job = named(columns, row), key = keyOf(job), old = jobs.get(key);
    job.row = rowOf(job);
    job.samples = old ? old.samples : [];
    if (NOW.includes(job.state) && job.rows_per_second > 0) job.samples.push([job.seconds, job.rows_per_second, job.goodput]);
    if (job.samples.length > SAMPLES_MAX) job.samples = job.samples.filter((_, i) => i % 2 === 0);
    if (old && old.row.isConnected) replaceRow(old.row, job.row);
    jobs.set(key, job);
    if (before) before.delete(key);
  }
  if (before) for (const key of before.keys()) jobs.delete(key);
  version = list.version;
  tell(list.error || "Live", list.error);
}

let fetching = false, again = false;

async function refresh() {
  if (fetching) { again = true; return; }
  fetching = true;
  try {
    do {
      again = false;
      takeJobs(await ask(`jobs?since=${version}`));
      if (!find("jobs-view").hidden) showJobs();
      if (!find("job-view").hidden) await refreshJob();
    } while (again);
  } catch (error) {
    tell(`No answer: ${error.message}`, true);
  } finally {
    fetching = false;
  }
}

// ----- one job -----

let open = null; // the job that is shown: {key, id, owner, events, metrics, workers, log}

function openJob(key) {
  const at = key.indexOf("@"), id = at < 0 ? key : key.slice(0, at), owner = at < 0 ? "" : key.slice(at + 1);
  const part = (name) => element("div", { id: `job-${name}` });
  const follow = element("details", { id: "job-log-details", on: { toggle: () => refreshLog() } }, element("summary", {}, "Log"),
                         element("pre", { class: "log", id: "job-log", tabindex: "0", "aria-label": "Log" }));
  open = { key, id, owner, events: [], metrics: new Map(), seen: 0, workers: [], score: null, log: { from: 0, text: "" } };
  find("job").replaceChildren(
    element("p", {}, element("a", { href: "#jobs" }, "All jobs")), part("actions"), part("error"), part("facts"),
    element("h3", {}, "Statement"), part("statement"),
    element("h3", {}, "Curves"), element("div", { class: "charts", id: "job-curves" }),
    element("h3", {}, "Timeline"), part("timeline"), legend(),
    element("details", { id: "job-events-details", on: { toggle: () => showEvents() } }, element("summary", { id: "job-events-summary" }, "Events"), part("events")),
    follow);
  setText(find("job-title"), `Job ${id}${owner ? ` of ${owner}` : ""}`);
}

const idOf = (one) => (one.owner ? { id: one.id, owner: one.owner } : { id: one.id });

/* Until nothing more comes: an answer has so many rows at most. Metrics of a step may come behind those of a later one:
   the last rows are asked for again, and all where the state is another. */
async function readJob(one, state) {
  if (one.state !== state) { one.seen = 0; one.state = state; }
  for (let more = true; more;) {
    const from = Math.max(0, one.seen - OVERLAP);
    const got = await ask(query("job", { ...idOf(one), events: one.events.length, metrics: from }));
    if (got.events_count < one.events.length || got.metrics_count < one.seen) {
      Object.assign(one, { events: [], metrics: new Map(), seen: 0 }); // the job began anew
      continue;
    }
    one.events.push(...got.events);
    for (const row of got.metrics) one.metrics.set(row.slice(0, 4).join(" "), row);
    one.seen = from + got.metrics.length;
    one.workers = got.workers;
    one.score = got.score;
    more = (got.events.length > 0 && one.events.length < got.events_count) || (got.metrics.length > OVERLAP && one.seen < got.metrics_count);
  }
}

function fact(name, value) {
  return value === "" || value === null || value === undefined ? null : element("div", {}, element("dt", {}, name), element("dd", {}, value));
}

function scoreFact() {
  const rows = [...open.metrics.values()].filter((row) => row[2] === "score");
  const newest = rows.reduce((a, b) => (a[1] > b[1] ? a : b), rows[0]);
  return newest ? fact(`${described("score", open.score)[0].split(" ")[0]}, validation`, short(newest[4])) : null;
}

function showFacts(job) {
  find("job-facts").replaceChildren(element("dl", { class: "facts" },
    fact("State", job.state), fact("Model", job.model), fact("Epoch", job.epochs > 0 ? `${job.epoch} of ${job.epochs}` : ""),
    fact("Step", job.steps > 0 ? `${short(job.step)} of ${short(job.steps)}` : short(job.step)),
    fact("Loss, training", short(job.loss)), fact("Loss, validation", short(job.validation_loss)), scoreFact(),
    fact("Rows/s", job.rows_per_second ? short(Math.round(job.rows_per_second)) : ""), fact("Goodput", percent(job.goodput)),
    fact("Rows done", short(job.rows_done)), fact("Rows computed again", short(job.rows_redone)),
    fact("Workers", NOW.includes(job.state) ? short(job.workers) : ""), fact("Worker time", duration(job.slot_seconds)),
    fact("Waited for workers", duration(job.seconds_waiting)), fact("Time", duration(job.seconds)), fact("Began", moment(job.started_at))));
  find("job-error").replaceChildren(...(job.error ? [element("p", { class: BAD.includes(job.state) ? "error" : "muted" }, job.error)] : []));
}

function showActions(job) {
  const state = `${NOW.includes(job.state)} ${job.state}`;
  if (find("job-actions").dataset.state === state) return;
  find("job-actions").dataset.state = state;
  const cancels = NOW.includes(job.state) || job.state === "lost" || job.state === "unpublished";
  find("job-actions").replaceChildren(element("div", { class: "actions" },
    cancels ? element("button", { type: "button", id: "cancel", on: { click: () => confirmCancel(job) } }, "Cancel the job") : null,
    ["waiting", "running"].includes(job.state) ? element("button", { type: "button", id: "scale", on: { click: () => confirmScale(job) } }, "Change the number of workers") : null));
}

function copied(statement) {
  const button = element("button", { type: "button", on: { click: async () => {
    await navigator.clipboard.writeText(statement);
    setText(button, "Copied");
    setTimeout(() => setText(button, "Copy"), 1500);
  } } }, "Copy");
  return element("div", { class: "copy" }, element("pre", {}, statement), button);
}

function showEvents() {
  const rows = open.events;
  setText(find("job-events-summary"), `Events (${rows.length})`);
  if (!find("job-events-details").open) return;
  find("job-events").replaceChildren(
    rows.length > EVENTS_SHOWN ? element("p", { class: "muted" }, `The last ${EVENTS_SHOWN} of ${rows.length}.`) : "",
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Events" },
      element("table", {}, element("thead", {}, element("tr", {}, ...["Seconds", "Process", "Event", "Detail"].map((name, i) => element("th", { scope: "col", class: i === 0 ? "number" : null }, name)))),
        element("tbody", {}, ...rows.slice(-EVENTS_SHOWN).reverse().map(([at, role, index, event, detail]) => element("tr", {},
          element("td", { class: "number" }, at.toFixed(2)), element("td", { class: "when" }, index < 0 ? role : `${role} ${index}`),
          element("td", {}, event), element("td", { class: "name" }, detail || "")))))));
}

function showCurves(job) {
  const rows = [...open.metrics.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const made = curves(rows, open.score);
  if (made.length > 0 && !NOW.includes(job.state) && !rows.some((row) => row[3] === "validation")) // the first epoch may not have ended
    made.unshift(element("p", { class: "muted wide" }, "The job holds no rows out for validation: the curves show training rows."));
  if (job.samples.length > 1) {
    made.push(chart("Rate while this page was open", SECONDS, "rows a second", [{ name: "rows/s", style: "train", points: job.samples.map((sample) => [sample[0], sample[1]]) }]));
    const goodput = job.samples.filter((sample) => sample[2] !== null);
    if (goodput.length > 1) made.push(chart("Goodput while this page was open", SECONDS, "% of worker time", [{ name: "goodput", style: "train", points: goodput.map((sample) => [sample[0], 100 * sample[2]]) }]));
  }
  find("job-curves").replaceChildren(...(made.length ? made : [element("p", { class: "muted" }, "There are no metrics yet.")]));
}

async function refreshJob() {
  const one = open, job = one && jobs.get(one.key);
  if (!one) return;
  if (!job) {
    find("job-error").replaceChildren(element("p", { class: "error" }, "There is no such job any more."));
    return;
  }
  const sign = `${job.state} ${job.step} ${job.seconds}`;
  const isNew = one.sign !== sign;
  if (isNew) await readJob(one, job.state);
  if (one !== open || !isNew) return;
  one.sign = sign;
  showFacts(job);
  showActions(job);
  if (one.statement !== job.statement) {
    one.statement = job.statement;
    find("job-statement").replaceChildren(copied(job.statement || ""));
  }
  showCurves(job);
  find("job-timeline").replaceChildren(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Timeline" }, timeline(one.events, one.workers, job.seconds)));
  showEvents();
  await refreshLog();
}

async function refreshLog() {
  const one = open;
  if (!one || !find("job-log-details").open) return;
  try {
    for (let more = true; more;) {
      const got = await ask(query("log", { ...idOf(one), from: one.log.from }));
      more = got.next > one.log.from;
      one.log.from = got.next;
      one.log.text = (one.log.text + got.text).slice(-LOG_MAX);
    }
  } catch (error) {
    one.log.text = error.message;
  }
  if (one !== open) return;
  const target = find("job-log"), isAtEnd = target.scrollTop + target.clientHeight >= target.scrollHeight - 4;
  setText(target, one.log.text);
  if (isAtEnd) target.scrollTop = target.scrollHeight;
}

// ----- confirmations -----

function confirm(title, text, fields, yes, act) {
  const dialog = find("confirm");
  setText(find("confirm-title"), title);
  setText(find("confirm-text"), text);
  setText(find("confirm-error"), "");
  setText(find("confirm-yes"), yes);
  find("confirm-fields").replaceChildren(...fields);
  find("confirm-yes").disabled = false;
  find("confirm-yes").onclick = async () => {
    find("confirm-yes").disabled = true;
    try {
      await act();
      dialog.close();
    } catch (error) {
      setText(find("confirm-error"), error.message);
    }
    find("confirm-yes").disabled = false;
  };
  dialog.showModal();
  (fields.length ? dialog.querySelector("input") : find("confirm-no")).focus();
}

function confirmCancel(job) {
  confirm(`Cancel job ${keyOf(job)}?`, `It ends, and what it has learned is not kept: ${job.model || "a job without a model"}.`, [], "Cancel the job",
    async () => { await ask("cancel", idOf(job)); await refresh(); });
}

function confirmScale(job) {
  const workers = element("input", { type: "number", min: "1", value: String(job.workers || 1), id: "scale-workers" });
  confirm(`Change the workers of job ${keyOf(job)}?`, "Workers that are too many leave after their step; new ones take lanes over. The model is the same.",
    [element("label", {}, "Workers ", workers)], "Change it",
    async () => { await ask("scale", { ...idOf(job), workers: workers.value }); await refresh(); });
}

// ----- models -----

let models = [];

async function refreshModels() {
  const list = await ask("models");
  models = list.rows.map((row) => named(list.columns, row));
  find("models").tBodies[0].replaceChildren(...models.map((model) => element("tr", {},
    element("td", { class: "name" }, element("a", { href: `#model/${encodeURIComponent(model.name)}` }, model.name)),
    element("td", {}, model.kind || ""), element("td", { class: "name" }, model.label || ""), element("td", { class: "number" }, short(model.rows)),
    element("td", {}, model.metric || ""), element("td", { class: "number" }, short(model.value)), element("td", {}, model.part || ""),
    element("td", { class: "number" }, short(model.version)), element("td", { class: "when" }, moment(model.created_at)), element("td", { class: "number" }, bytes(model.bytes)))));
}

function tableOf(columns, rows, label) {
  const isNumber = columns.map((_, i) => rows.length > 0 && rows.every((row) => row[i] === null || typeof row[i] === "number"));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, element("table", {},
    element("thead", {}, element("tr", {}, ...columns.map((name, i) => element("th", { scope: "col", class: isNumber[i] ? "number" : null }, name)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((value, i) => element("td", { class: isNumber[i] ? "number" : "name" }, short(value))))))));
}

/* {"loss":0.389,"AUC":0.76} as words. */
function metricsOf(json) {
  try {
    return Object.entries(JSON.parse(json)).map(([name, value]) => `${name} ${short(value)}`).join(", ");
  } catch {
    return json;
  }
}

function versionsOf(versions) {
  const rows = versions.rows.map((row) => named(versions.columns, row)).map((one) => (
    [one.version, one.state, (one.digest || "").slice(0, 16), moment(one.created_at), one.metrics ? metricsOf(one.metrics) : "", one.part || ""]));
  return tableOf(["Version", "State", "Digest", "Trained", "Metrics", "Measured on"], rows, "Versions");
}

function draw(name, kind, target) {
  const address = query("picture", { name, kind });
  const image = element("img", { alt: `${kind} of the model ${name}`, src: base + address });
  const note = element("p", { class: "muted", role: "status" }, `Drawing ${kind}`);
  image.hidden = true;
  image.addEventListener("load", () => { image.hidden = false; note.remove(); });
  image.addEventListener("error", async () => {
    image.remove();
    note.className = "error";
    try { await ask(address); setText(note, "The picture cannot be shown."); } catch (error) { setText(note, `${kind}: ${error.message}`); }
  });
  target.prepend(note, image);
}

function statementsFor(quoted, report, statement) {
  const select = /^\s*(SELECT|WITH)\b/i.test(statement) ? statement.replace(/\s+TO\s+TRAIN\s[\s\S]*$/i, "") : "SELECT * FROM rows";
  return [`${select} TO PREDICT USING ${quoted};`, `${select} TO EVALUATE ${quoted};`, `${select} TO EXPLAIN ${quoted};`,
          `SHOW MODEL ${quoted};`, report, `ROLLBACK MODEL ${quoted} TO 1;`];
}

async function openModel(name) {
  const target = find("model");
  setText(find("model-title"), name);
  target.replaceChildren(element("p", { class: "muted" }, "Loading"));
  try {
    const got = await ask(query("model", { name }));
    if (route().name !== name) return;
    const facts = got.facts.rows.filter(([what]) => what !== "statement" && what !== "notice");
    const notices = got.facts.rows.filter(([what]) => what === "notice");
    const statement = (got.facts.rows.find(([what]) => what === "statement") || ["", ""])[1] || "";
    const drawn = element("div", { class: "drawn" });
    target.replaceChildren(
      element("p", {}, element("a", { href: "#models" }, "All models")),
      ...(notices.length ? [element("h3", {}, "Notices"), element("ul", {}, ...notices.map(([, text]) => element("li", {}, text)))] : []),
      element("h3", {}, "Pictures"),
      element("p", { class: "muted" }, "All but history are measured on the rows of the statement that trained the model, which flatter it."),
      element("div", { class: "pictures" }, ...PICTURES.map((kind) => element("button", { type: "button", on: { click: () => draw(name, kind, drawn) } }, kind)),
        element("a", { href: base + query("report", { name }), target: "_blank", rel: "noopener noreferrer" }, "Report as one page")),
      drawn,
      element("h3", {}, "Versions"), versionsOf(got.versions),
      element("h3", {}, "Statement"), copied(statement),
      element("h3", {}, "Statements to copy"), ...statementsFor(got.quoted, got.report, statement).map(copied),
      element("h3", {}, "Facts"), tableOf(["Name", "Value"], facts, "Facts"));
    draw(name, "history", drawn);
  } catch (error) {
    target.replaceChildren(element("p", {}, element("a", { href: "#models" }, "All models")), element("p", { class: "error", role: "alert" }, error.message));
  }
}

// ----- views -----

function route() {
  const [view, name] = location.hash.slice(1).split("/", 2);
  return { view: ["jobs", "job", "models", "model"].includes(view) ? view : "jobs", name: name ? decodeURIComponent(name) : "" };
}

async function show() {
  const { view, name } = route();
  for (const one of ["jobs", "job", "models", "model"]) find(`${one}-view`).hidden = one !== view;
  for (const tab of ["jobs", "models"]) {
    if (view === tab || `${view}s` === tab) find(`tab-${tab}`).setAttribute("aria-current", "page");
    else find(`tab-${tab}`).removeAttribute("aria-current");
  }
  open = null;
  try {
    if (view === "jobs") showJobs();
    if (view === "job") { openJob(name); await refreshJob(); find("job-title").focus(); }
    if (view === "models") await refreshModels();
    if (view === "model") { await openModel(name); find("model-title").focus(); }
  } catch (error) {
    tell(`No answer: ${error.message}`, true);
  }
}

async function begin() {
  find("filter").addEventListener("submit", (event) => event.preventDefault());
  find("filter-state").addEventListener("change", showJobs);
  find("filter-text").addEventListener("input", showJobs);
  find("confirm-no").addEventListener("click", () => find("confirm").close());
  window.addEventListener("hashchange", show);
  await refresh();
  await show();
  const stream = new EventSource(base + "stream");
  stream.addEventListener("tick", (tick) => { if (Number(tick.data) !== version) refresh(); });
  stream.addEventListener("open", () => tell("Live", false));
  stream.addEventListener("error", () => tell("The console does not answer; it may have ended", true));
}

begin();
