"use strict";

// "Was this passage here?": by id, source or words of the text; for a hit, its way in or out.
{
  const MOST_HITS = 12;
  const input = document.getElementById("find");
  const status = document.getElementById("find-status");
  const hits = document.getElementById("find-hits");
  const told = document.getElementById("find-told");
  const SIGNS = { good: "✓", look: "!", bad: "✗" };

  let data = null;
  let keys = [];
  const said = (place) => saidIn(data, place);

  // 0 for the best hit, Infinity for none: the id, a part of it, its source, the text as typed,
  // all words in any order.
  function distance(key, phrase, words) {
    if (key.id === phrase) return 0;
    if (key.id.includes(phrase)) return 1;
    if (key.source.includes(phrase)) return 2;
    if (key.text.includes(phrase)) return 3;
    return words.every((word) => key.text.includes(word)) ? 4 : Infinity;
  }

  function found(typed) {
    const phrase = typed.trim().toLowerCase();
    const words = phrase.split(/\s+/);
    return keys
      .map((key, place) => ({ row: key.row, place, far: distance(key, phrase, words) }))
      .filter((hit) => hit.far < Infinity)
      .sort((a, b) => a.far - b.far || a.place - b.place);
  }

  function badge(tone, words) {
    const sign = made("span", "", SIGNS[tone]);
    sign.setAttribute("aria-hidden", "true");
    return made("span", `badge ${tone}`, sign, ` ${words}`);
  }

  function steps(row) {
    const list = made("ol", "");
    row.steps.forEach(([answer, tone, detail], at) => {
      const question = made("strong", "", data.questions[at]);
      const words = made("bdi", "", said(detail));
      list.append(made("li", "", question, " ", badge(said(tone), said(answer)), " ", words));
    });
    return list;
  }

  // The sum behind the score, out of the table of signals.
  function sum(row) {
    const line = document.querySelector(`[data-signals-of="${row.anchor}"]`);
    const heads = document.getElementById("signals-table").tHead.rows[0].cells;
    const body = made("tbody", "");
    for (let at = 2; at < 7; at += 1) {
      const share = line.cells[at].querySelector("small");
      if (!share) return "";
      const [name, weight] = heads[at].textContent.trim().split(/\s+×\s+/);
      const head = made("th", "", name);
      head.scope = "row";
      const product = `${weight} × ${line.cells[at].firstChild.textContent}`;
      body.append(made("tr", "", head, made("td", "number", product), made("td", "number", share.textContent)));
    }
    const head = made("th", "", "Score");
    head.scope = "row";
    body.append(made("tr", "", head, made("td", ""), made("td", "number", line.cells[7].textContent)));
    const table = made("table", "sum", body);
    return made("details", "", made("summary", "", "The sum behind its score"), table);
  }

  function show(row, button) {
    for (const each of hits.querySelectorAll("button")) each.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", "true");
    const link = made("a", "", "Show it in its place");
    link.href = `#${row.anchor}`;
    const place = [said(row.source), said(row.section), said(row.date)].filter(Boolean).join(" · ");
    const panel = made(
      "div",
      "told",
      made("h4", "", made("bdi", "", row.id), `: ${said(row.headline)}`),
      made("p", "meta", made("bdi", "", place)),
      steps(row),
      made("strong", "", "What to change"),
      made("ul", "", ...row.changes.map((change) => made("li", "", made("bdi", "", said(change))))),
      made(
        "p",
        "",
        "The smallest change that turns it, the budget included, is found by ",
        made("code", "", whyCommand(row.id)),
        " with the packet's folder for PACKET.",
      ),
      sum(row),
      made("p", "", link),
    );
    told.replaceChildren(panel);
  }

  function option(row) {
    const button = made("button", "", made("bdi", "", row.id), ` – ${said(row.headline)} · `, made("bdi", "", said(row.source)));
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => show(row, button));
    return made("li", "", button);
  }

  function search() {
    hits.replaceChildren();
    told.replaceChildren();
    status.textContent = "";
    if (!input.value.trim()) return;
    const all = found(input.value);
    hits.append(...all.slice(0, MOST_HITS).map((hit) => option(hit.row)));
    if (!all.length) {
      status.textContent = data.nothing;
      return;
    }
    const more = all.length > MOST_HITS ? `, the first ${MOST_HITS} shown` : "";
    status.textContent = all.length === 1 ? "1 candidate" : `${all.length} candidates${more}`;
    if (all.length === 1 || all[0].far === 0) show(all[0].row, hits.querySelector("button"));
  }

  // Once the tables have their rows, which hold the texts.
  function start({ candidates }) {
    data = candidates;
    const texts = new Map();
    for (const element of document.querySelectorAll("[data-text-of]")) {
      texts.set(element.dataset.textOf, element.textContent.toLowerCase());
    }
    keys = data.rows.map(namedRow).map((row) => ({
      row,
      id: row.id.toLowerCase(),
      source: `${said(row.source)} ${said(row.sourceId)} ${said(row.section)}`.toLowerCase(),
      text: texts.get(row.anchor) ?? "",
    }));
    input.addEventListener("input", search);
    input.disabled = false;
  }

  pageData.then(start, (error) => {
    status.textContent = `The search is missing, since the page's data cannot be read: ${error.message}.`;
  });
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}
