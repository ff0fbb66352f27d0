"use strict";

// The data that the page draws from: a promise of {candidates, whatIf}. In a small page it is
// there as it is; in a large one it is a zlib stream in base64.
const pageData = (async () => {
  const block = document.getElementById("page-data");
  if (block.type === "application/json") return JSON.parse(block.textContent);
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old for it (it has no DecompressionStream)");
  }
  const bytes = Uint8Array.from(atob(block.textContent), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
})();

// Fields of a row, in the order of the data.
const ROW_FIELDS = [
  ...["anchor", "id", "source", "sourceId", "section", "date", "headline", "steps", "changes"],
  ...["isIn", "code", "label", "reason", "position", "rank", "tokens", "score", "fits", "signals", "ranks"],
];

function namedRow(values) {
  return Object.fromEntries(ROW_FIELDS.map((name, at) => [name, values[at]]));
}

// A sentence by its place; numbers that were left out of it go back into its gaps.
function saidIn(data, place) {
  if (!Array.isArray(place)) return data.sentences[place];
  const [at, ...numbers] = place;
  const pieces = data.sentences[at].split(data.gap);
  return pieces.map((piece, gap) => piece + (numbers[gap] ?? "")).join("");
}

// An element; children that are strings are text, never markup.
function made(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}
