"use strict";

// The rows of the two tables of candidates, drawn from the page's data.
{
  const fragment = (rows) => {
    const together = document.createDocumentFragment();
    together.append(...rows);
    return together;
  };

  function rowHead(...children) {
    const head = made("th", "", ...children);
    head.scope = "row";
    return head;
  }

  // The text of an excluded passage, closed, with what a reader has to know about it.
  function textPart(row, [text, ...notes]) {
    const summary = made("summary", "", text ? "Text" : "No text");
    const part = made("details", "", summary, ...notes.map((note) => made("p", "hint", note)));
    if (text) {
      const shown = made("div", "text", text);
      shown.dir = "auto";
      shown.dataset.textOf = row.anchor;
      part.append(shown);
    }
    return part;
  }

  function excludedRow(row, data) {
    const said = (place) => saidIn(data, place);
    const text = data.texts[row.anchor];
    const source = made("div", "meta", made("bdi", "", said(row.source)), ` · ${said(row.date)}`);
    const label = made("span", `code code-${said(row.code)}`, said(row.label));
    const drawn = made(
      "tr",
      "",
      made("td", "", row.rank),
      rowHead(made("bdi", "", row.id), source, ...(text ? [textPart(row, text)] : [])),
      made("td", "", label, made("div", "meta", made("bdi", "", said(row.reason)))),
      ...[row.tokens, row.score, row.fits].map((value) => made("td", "", value)),
    );
    drawn.id = row.anchor;
    drawn.tabIndex = -1;
    drawn.dataset.reason = said(row.code);
    drawn.dataset.source = said(row.sourceId);
    return drawn;
  }

  function signalsRow(row) {
    const link = made("a", "", made("bdi", "", row.id));
    link.href = `#${row.anchor}`;
    const signals = [0, 1, 2, 3, 4].map((at) => {
      if (!row.signals.length) return made("td", "", "–");
      return made("td", "", row.signals[2 * at], made("small", "", row.signals[2 * at + 1]));
    });
    const drawn = made(
      "tr",
      "",
      rowHead(link),
      made("td", "", row.position),
      ...signals,
      ...[row.score, ...row.ranks].map((value) => made("td", "", value)),
    );
    drawn.dataset.signalsOf = row.anchor;
    return drawn;
  }

  function fill(tableId, rows) {
    const table = document.getElementById(tableId);
    if (!table) return;
    table.tBodies[0].append(fragment(rows));
    table.closest("section").querySelector(".undrawn").remove();
  }

  function draw({ candidates: data }) {
    const rows = data.rows.map(namedRow);
    const out = rows.filter((row) => !row.isIn);
    fill("excluded-table", out.map((row) => excludedRow(row, data)));
    fill("signals-table", rows.map(signalsRow));
    // A link into a table leads nowhere until its rows are there.
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.matches("#excluded-table tr")) location.replace(location.hash);
  }

  function sayWhy(error) {
    const why = `The rows of this table are missing, since the page's data cannot be read: ${error.message}.`;
    for (const each of document.querySelectorAll(".undrawn")) {
      each.textContent = `${why} The file explainability.csv beside the packet holds the same numbers.`;
    }
  }

  pageData.then(draw, sayWhy);
}
