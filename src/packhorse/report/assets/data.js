"use strict";

// Bytes of a text in base 85: five characters, highest digit first, are four bytes. A last group
// of fewer characters is one byte shorter than it has characters.
function fromBase85(text) {
  const DIGITS =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";
  const valueOf = new Uint8Array(128);
  [...DIGITS].forEach((digit, value) => (valueOf[digit.charCodeAt(0)] = value));
  const bytes = new DataView(new ArrayBuffer(4 * Math.ceil(text.length / 5)));
  for (let at = 0; at < text.length; at += 5) {
    let number = 0;
    for (let place = at; place < at + 5; place += 1) {
      number = 85 * number + (place < text.length ? valueOf[text.charCodeAt(place)] : 84);
    }
    bytes.setUint32((4 * at) / 5, number);
  }
  return new Uint8Array(bytes.buffer, 0, Math.floor((4 * text.length) / 5));
}

// The data that the page draws from: a promise of {candidates, whatIf}. In a small page it is
// there as it is; in a large one it is a zlib stream in base 85.
const pageData = (async () => {
  const block = document.getElementById("page-data");
  if (block.type === "application/json") return JSON.parse(block.textContent);
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old for it (it has no DecompressionStream)");
  }
  const stream = new Blob([fromBase85(block.textContent)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
})();
// Whoever draws from it says what is wrong; the browser need not, if they are read later than it fails.
pageData.catch(() => {});

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
