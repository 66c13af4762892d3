// The review queue: one pair on the table, the next ones at hand. An answer is sent and nobody waits for it; one after
// the other, since two on their way at once may overtake each other, and "undo" would take back the wrong one.
import { html, render, useState, useEffect, useRef, useCallback } from "./vendor/htm-preact.js";

const AHEAD = 8;
const WAIT = 1500;

async function ask(path, body) {
  const how = body === undefined ? {} : { method: "POST", keepalive: true, body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const answer = await fetch(path, { ...how, headers: { accept: "application/json", ...(how.headers || {}) } });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.problem || `the studio answered ${answer.status}`);
  return found;
}

const percent = (p) => (p === null ? "–" : p > 0.999 ? "> 99.9 %" : p < 0.001 ? "< 0.1 %" : `${Math.round(100 * p)} %`);
const same = (one, other) => one.a === other.a && one.b === other.b;
const entity = (id) => `/entity?${new URLSearchParams({ id })}`;
const pair = (item) => `/pair?${new URLSearchParams({ a: item.a, b: item.b })}`;

function Card({ item, scored }) {
  return html`<div class="card"><table>
    <caption class="hidden">Two records, field by field</caption>
    <thead><tr><th scope="col">${scored ? html`<b>${percent(item.probability)}</b> the same` : ""}</th>
      <th scope="col"><a href=${entity(item.a)} dir="auto">${item.a}</a></th>
      <th scope="col"><a href=${entity(item.b)} dir="auto">${item.b}</a></th></tr></thead>
    <tbody>${item.fields.map((field) => html`<tr class=${field.state} key=${field.column}>
      <th scope="row" dir="auto">${field.column}</th>
      ${field.state === "other"
        ? html`<td dir="auto"><mark>${field.a}</mark></td><td dir="auto"><mark>${field.b}</mark></td>`
        : html`<td dir="auto">${field.a || "–"}</td><td dir="auto">${field.b || "–"}</td>`}
    </tr>`)}</tbody></table></div>`;
}

function Status({ state, judged }) {
  const changes = Object.entries(state.settled.changes).map(([kind, n]) => `${n.toLocaleString()} ${kind}`).join(", ");
  return html`<div class="status" role="status">
    <span>${(judged + state.kept).toLocaleString()} decided</span>
    <span>${state.left.toLocaleString()} left of those worth most</span>
    ${state.waiting ? html`<span>${state.waiting} being saved</span>` : ""}
    ${state.settled.records ? html`<span>settled: ${state.settled.records.toLocaleString()} records looked at again${changes ? `, ${changes}` : ""}</span>` : ""}
    ${state.doubt_left === undefined ? "" : html`<span>expected wrong pairs left: ${state.doubt_left.toFixed(1)}</span>`}
  </div>`;
}

function Evidence({ item }) {
  const place = useRef(null);
  useEffect(() => {
    let is_old = false;
    fetch(`/review/why?${new URLSearchParams({ a: item.a, b: item.b })}`)
      .then((answer) => answer.text())
      // What comes is made by our templates, where every value is escaped; the policy of the page runs no script in it.
      .then((text) => { if (!is_old && place.current) place.current.innerHTML = text; });
    return () => { is_old = true; };
  }, [item.a, item.b]);
  return html`<div ref=${place} aria-live="polite"><p class="note">Weighing…</p></div>`;
}

function Review({ judged }) {
  const [items, setItems] = useState(null);
  const [state, setState] = useState({ kept: 0, waiting: 0, left: 0, refused: [], settled: { records: 0, changes: {} } });
  const [last, setLast] = useState(null);
  const [scored, setScored] = useState(localStorage.getItem("scored") === "yes");
  const [evident, setEvident] = useState(false);
  const [problem, setProblem] = useState("");
  const now = useRef({});
  now.current = { items, last };

  const done = useRef([]);
  const line = useRef(Promise.resolve());
  const send = useCallback((path, body) => {
    const sent = line.current.then(() => ask(path, body));
    line.current = sent.catch(() => {});
    return sent;
  }, []);
  const fill = useCallback(async () => {
    try {
      const found = await ask(`/review/items?most=${AHEAD}`);
      setState((before) => ({ ...before, ...found, items: undefined }));
      setItems((have) => {
        const kept = have || [];
        const isNew = (item) => !kept.some((each) => same(each, item)) && !done.current.some((each) => same(each, item));
        return [...kept, ...found.items.filter(isNew)];
      });
    } catch (error) { setProblem(String(error.message)); setItems((have) => have || []); }
  }, []);
  useEffect(() => { fill(); }, []);
  useEffect(() => {
    const timer = setInterval(async () => {
      try {
        const found = await ask("/review/state");
        setState((before) => ({ ...before, ...found }));
        if (now.current.items && !now.current.items.length && found.left && !found.waiting) { done.current = []; fill(); }
      } catch { /* the studio has ended; the next answer says so */ }
    }, WAIT);
    return () => clearInterval(timer);
  }, []);

  const act = useCallback((kind) => {
    const [item, ...rest] = now.current.items || [];
    if (!item) return;
    const began = performance.now();
    setEvident(false);
    setItems(rest);
    done.current.push(item);
    setLast({ item, kind });
    requestAnimationFrame(() => { document.getElementById("review").dataset.took = String(performance.now() - began); });
    const sent = kind === "skip" ? send("/review/skip", { a: item.a, b: item.b }) : send("/review/answer", { kind, a: item.a, b: item.b });
    sent.then(() => setProblem("")).catch((error) => { setProblem(String(error.message)); setItems((have) => [item, ...have]); });
    if (rest.length < AHEAD / 2) sent.then(fill, () => {});
  }, []);

  const undo = useCallback(async () => {
    try {
      const found = await send("/review/undo", {});
      if (!found.undone) { setProblem("there is nothing to undo in this sitting; older judgements are in the history"); return; }
      done.current = done.current.filter((each) => !same(each, found.item));
      setItems((have) => [found.item, ...(have || []).filter((each) => !same(each, found.item))]);
      setLast(null);
      setProblem("");
    } catch (error) { setProblem(String(error.message)); }
  }, []);

  const toggle = useCallback(() => setScored((is) => { localStorage.setItem("scored", is ? "no" : "yes"); return !is; }), []);
  useEffect(() => {
    const keys = { y: () => act("same"), n: () => act("different"), s: () => act("skip"), u: undo, p: toggle, e: () => setEvident((is) => !is) };
    const pressed = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
      const act_ = keys[event.key];
      if (act_) { event.preventDefault(); act_(); }
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);

  if (items === null) return html`<p class="note">Looking for the pairs whose answer is worth most…</p>`;
  const [item] = items;
  return html`
    ${problem && html`<p class="warn" role="alert">${problem}</p>`}
    ${state.refused.map((each) => html`<p class="warn" role="alert" key=${each.number}>Not kept: ${each.problem}. <a href=${pair(each)}>Look at the pair</a></p>`)}
    <${Status} state=${state} judged=${judged} />
    ${item ? html`
      ${item.before && html`<p class="warn" dir="auto">Said before: ${item.before}.</p>`}
      <${Card} item=${item} scored=${scored} />
      <div class="answers">
        <button type="button" class="yes" onClick=${() => act("same")}>Same <kbd>y</kbd></button>
        <button type="button" class="no" onClick=${() => act("different")}>Different <kbd>n</kbd></button>
        <button type="button" onClick=${() => act("skip")}>Skip <kbd>s</kbd></button>
        <button type="button" onClick=${undo}>Undo <kbd>u</kbd></button>
      </div>
      <p class="note"><button type="button" class="small" aria-pressed=${evident} onClick=${() => setEvident(!evident)}>Evidence <kbd>e</kbd></button>${" "}
        <button type="button" class="small" aria-pressed=${scored} onClick=${toggle}>Score before the answer <kbd>p</kbd></button>${" "}
        an answer takes away ${item.worth.toFixed(2)} expected errors</p>
      ${evident && html`<${Evidence} item=${item} />`}`
    : html`<p>${state.waiting ? "Saving…" : "Nothing is left to decide."} <a href="/history">History</a></p>`}
    ${last && html`<p class="last note">Last: <a href=${pair(last.item)}><span dir="auto">${last.item.a}</span> and <span dir="auto">${last.item.b}</span></a>, ${last.kind === "skip" ? "put aside" : last.kind}; the model says ${percent(last.item.probability)} the same.</p>`}`;
}

const root = document.getElementById("review");
if (root) { const judged = Number(root.dataset.judged); root.replaceChildren(); render(html`<${Review} judged=${judged} />`, root); }
