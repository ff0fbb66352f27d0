"use strict";

// Tables of candidates, once they have their rows: sorting by a column, filters of what is out.
{
  // Words by their letters; numbers as they are written: `1,100`, `[3]`, a dash for none.
  const keyOf = (table, row, column) => {
    const cell = row.cells[column];
    const text = cell.firstChild?.textContent.trim() ?? "";
    if (cell.matches("th") || table.tHead.rows[0].cells[column].matches(".words")) return text;
    const number = Number.parseFloat(text.replace(/[[,]/g, ""));
    return Number.isNaN(number) ? Infinity : number; // What has no value comes last.
  };
  const before = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  function sortBy(table, head, column) {
    const descending = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [keyOf(table, row, column), row]);
    rows.sort(([a], [b]) => (descending ? before(b, a) : before(a, b)));
    body.append(...rows.map(([, row]) => row));
  }

  // What there is to choose from, the most frequent first.
  function offer(select, data, choices) {
    for (const [value, label, count] of choices) {
      const option = made("option", "", `${saidIn(data, label)} (${count})`);
      option.value = saidIn(data, value);
      select.append(option);
    }
  }

  function equip({ candidates: data }) {
    for (const table of document.querySelectorAll("table.candidates")) {
      [...table.tHead.rows[0].cells].forEach((head, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => sortBy(table, head, column));
      });
    }

    const filters = document.getElementById("excluded-filters");
    if (filters) {
      const reason = document.getElementById("filter-reason");
      const source = document.getElementById("filter-source");
      offer(reason, data, data.filters.reason);
      offer(source, data, data.filters.source);
      const status = document.getElementById("excluded-status");
      const rows = [...document.getElementById("excluded-table").tBodies[0].rows];
      const matches = (select, value) => select.selectedIndex === 0 || select.value === value;
      const apply = () => {
        let shown = 0;
        for (const row of rows) {
          row.hidden = !(matches(reason, row.dataset.reason) && matches(source, row.dataset.source));
          if (!row.hidden) shown += 1;
        }
        status.textContent = `${shown} of ${rows.length} shown`;
      };
      filters.addEventListener("change", apply);
      filters.hidden = false;
      // A row that a link leads to is never hidden by a filter.
      addEventListener("hashchange", () => {
        const target = document.getElementById(location.hash.slice(1));
        if (target?.hidden && target.matches("#excluded-table tr")) {
          reason.selectedIndex = 0;
          source.selectedIndex = 0;
          apply();
          target.scrollIntoView();
        }
      });
    }
  }

  pageData.then(equip, () => {});
}
