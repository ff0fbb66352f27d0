// Drawing of one selection beside the recorded one. Text goes in as text, never as markup.

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== ""));
  return made;
}

// Text of anybody, with everything hidden in it written as an escape.
function visible(text) {
  return text.replace(HIDDEN, escaped);
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

function counted(number, noun) {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

const OUT_REASONS = {
  exceeded_remaining_budget: ({ needed, had }) => `did not fit: needed ${grouped(needed)}, had ${grouped(had)}`,
  source_cap: () => "its source holds its share already",
  not_selected_by_mmr: () => "ranked below the top k",
  linked_chunk_out: () => "a chunk that it is linked with is out",
  exclusive_pair: () => "never packed beside one that is in",
  not_in_best_set: () => "another set is worth more",
};

const CANNOT = {
  rules: "The best set under group rules takes an integer solver, which a page does not have.",
  size: "The search for the best set is too large for a page at this budget.",
  weights: "Weights this large go beyond the whole numbers that a page adds up exactly.",
};

// What became of every chunk: {id, row, now, was} with 1-based places in reading order, 0 for out.
function moves(data, found) {
  const now = new Map(found.rows.map((row, place) => [data.rows.id[row], place + 1]));
  const was = new Map(data.recorded.packed.map((id, place) => [id, place + 1]));
  const rowOf = new Map(data.rows.id.map((id, row) => [id, row]));
  return [...new Set([...now.keys(), ...was.keys()])].map((id) => ({
    id,
    row: rowOf.get(id),
    now: now.get(id) ?? 0,
    was: was.get(id) ?? 0,
  }));
}

// As recorded, nothing is estimated: the packet knows what its text takes.
function summaryText(data, found, isRecorded) {
  const tokens = isRecorded ? data.recorded.tokens : found.tokens;
  const share = found.budget ? ((100 * tokens) / found.budget).toFixed(1) : "0.0";
  const about = data.estimated.length && !isRecorded ? "about " : "";
  return (
    `${counted(found.rows.length, "chunk")}, ${about}${grouped(tokens)} of ` +
    `${grouped(found.budget)} tokens (${share}%), value ${found.value.toFixed(3)}`
  );
}

function changeText(changes) {
  const entered = changes.filter(({ was }) => !was).length;
  const left = changes.filter(({ now }) => !now).length;
  const moved = changes.filter(({ now, was }) => now && was && now !== was).length;
  if (!entered && !left && !moved) return "The same chunks in the same order as recorded.";
  return `${grouped(entered)} entered, ${grouped(left)} left, ${grouped(moved)} moved.`;
}

function packedTable(data, found, changes) {
  const wasOf = new Map(changes.map(({ id, was }) => [id, was]));
  const body = element("tbody");
  found.rows.forEach((row, place) => {
    const id = data.rows.id[row];
    const was = wasOf.get(id);
    const state = !was ? "entered" : was === place + 1 ? "stayed" : "moved";
    const told = { entered: "entered", stayed: "", moved: `moved from ${was}` }[state];
    body.append(
      element(
        "tr",
        { class: `wi-${state}`, "data-chunk": id },
        element("td", { class: "wi-number" }, String(place + 1)),
        element("th", { scope: "row" }, visible(id)),
        element("td", {}, visible(data.sources[data.rows.source[row]])),
        element("td", { class: "wi-number" }, String(found.rank.get(row))),
        element("td", { class: "wi-number" }, (found.score[row] / MILLION).toFixed(6)),
        element("td", { class: "wi-number" }, grouped(data.rows.tokens[row])),
        element("td", {}, told),
      ),
    );
  });
  const heads = ["Place", "Chunk", "Source", "Rank", "Score", "Tokens", "Change"];
  const isNumber = (text) => ["Place", "Rank", "Score", "Tokens"].includes(text);
  const columns = heads.map((text) =>
    element("th", { scope: "col", class: isNumber(text) ? "wi-number" : "" }, text),
  );
  return element(
    "table",
    {},
    element("caption", {}, "What would be packed, in reading order"),
    element("thead", {}, element("tr", {}, ...columns)),
    body,
  );
}

function leftList(data, found, changes) {
  const gone = changes.filter(({ now }) => !now);
  if (!gone.length) return "";
  const items = gone.map(({ id, row, was }) => {
    const why = found.out.get(row);
    const reason = why ? OUT_REASONS[why.code](why) : "out";
    return element("li", { "data-chunk": id }, element("b", {}, visible(id)), ` (was ${was}): ${reason}`);
  });
  return element("div", { class: "wi-left" }, element("h3", {}, "Left"), element("ul", {}, ...items));
}

// Strength of each required topic among what is packed; "" where none is required.
function topicList(data, found) {
  const { shown_topics: topics, in_domain: inDomain, full_strength: full } = data;
  if (!topics.length) return "";
  const items = topics.map((topic, place) => {
    const strength = inDomain ? Math.max(0, ...found.rows.map((row) => data.rows.covers[row][place])) : 0;
    const state = strength <= 0 ? "missing" : strength >= full ? "covered" : "partial";
    return element("li", { class: `wi-${state}` }, `${visible(topic)}: ${state} (${strength.toFixed(2)})`);
  });
  const heading = element("h3", {}, "Required topics");
  return element("div", { class: "wi-topics" }, heading, element("ul", {}, ...items));
}

function resultParts(data, found, isRecorded) {
  const changes = moves(data, found);
  const parts = [
    element("p", { class: "wi-summary" }, summaryText(data, found, isRecorded)),
    element("p", { class: "wi-change" }, changeText(changes)),
  ];
  for (const reason of isRecorded ? [] : data.estimated) {
    parts.push(element("p", { class: "wi-note" }, `Tokens are estimated: ${reason}.`));
  }
  parts.push(element("div", { class: "wi-scroll", tabIndex: 0 }, packedTable(data, found, changes)));
  parts.push(leftList(data, found, changes), topicList(data, found));
  return parts.filter((part) => part !== "");
}

function failureParts(found) {
  let text = found.error;
  if (found.tooSmall !== undefined) {
    text =
      "Budget too small to fit the evidence preamble and the required chunks " +
      `(needs ${grouped(found.tooSmall)} tokens or more).`;
  } else if (found.cannot) {
    text = `${CANNOT[found.cannot]} Run the command below instead.`;
  }
  return [element("p", { class: "wi-failure" }, text)];
}
