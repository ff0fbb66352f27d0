// The controls of the section "What if", and the selection after each change of one.

const CONTROLS = [
  { name: "budget", label: "Evidence budget (tokens)", digits: 0 },
  { name: "lambda", label: "Lambda: 1 is score alone, 0 diversity alone", digits: 2 },
  { name: "relevance", label: "Weight of relevance", digits: 2 },
  { name: "trust", label: "Weight of trust", digits: 2 },
  { name: "freshness", label: "Weight of freshness", digits: 2 },
  { name: "coverage", label: "Weight of coverage", digits: 2 },
  { name: "deduplication", label: "Weight of deduplication, a penalty", digits: 2 },
];

const READ_ALOUD_MS = 500; // How long controls rest before a screen reader is told.

function settingsOf(values) {
  const { budget, lambda, ...weights } = values;
  return { budget, lambda, weights };
}

function recordedValues(data) {
  return { budget: data.budget, lambda: data.lambda, ...data.weights };
}

function isAsRecorded(data, values) {
  return Object.entries(recordedValues(data)).every(([name, value]) => values[name] === value);
}

// [lowest, highest] of a number.
function limitsOf(data, name) {
  if (name === "budget") return [0, data.available];
  if (name === "lambda") return [0, 1];
  const most = Math.max(1, 2 * Math.abs(data.weights[name]));
  return name === "deduplication" ? [-most, 0] : [0, most];
}

// End of a slider: more budget than everything together takes changes nothing.
function sliderEnd(data, name, max) {
  if (name !== "budget") return max;
  const all = data.rows.tokens.reduce((sum, tokens) => sum + tokens, data.budget - data.room);
  return Math.max(data.budget, Math.min(max, all));
}

function controlOf(data, { name, label, digits }, onChange) {
  const [min, max] = limitsOf(data, name);
  const recorded = recordedValues(data)[name];
  const id = `what-if-${name}`;
  const end = sliderEnd(data, name, max);
  const slider = element("input", {
    type: "range",
    min: String(min),
    max: String(end),
    step: "any",
    "aria-label": `${label}, slider`,
  });
  const number = element("input", {
    type: "number",
    id,
    min: String(min),
    max: String(max),
    step: digits ? "0.01" : "1",
  });
  const reset = element("button", { type: "button", "aria-label": `Reset: ${label}` }, "Reset");
  const mark = element("span", { class: "wi-mark", "aria-hidden": "true" });
  mark.style.setProperty("--wi-at", String(end > min ? (recorded - min) / (end - min) : 0));
  let value = recorded;
  function show() {
    if (Number.isFinite(value)) {
      slider.value = String(value);
      slider.setAttribute("aria-valuetext", decimal(value));
    }
    reset.disabled = value === recorded;
  }
  function set(next, isTyped) {
    value = next;
    show();
    if (!isTyped) number.value = Number.isFinite(value) ? decimal(value) : "";
    onChange();
  }
  slider.addEventListener("input", () => set(Number(Number(slider.value).toFixed(digits)), false));
  number.addEventListener("input", () => {
    const typed = number.value === "" ? NaN : number.valueAsNumber;
    const isInside = typed >= min && typed <= max && (digits > 0 || Number.isInteger(typed));
    number.setAttribute("aria-invalid", String(!isInside));
    set(isInside ? rounded(typed, MILLION) : NaN, true);
  });
  reset.addEventListener("click", () => set(recorded, false));
  number.value = decimal(recorded);
  show();
  const track = element("div", { class: "wi-track" }, slider, mark);
  const told = element("span", { class: "wi-recorded" }, `recorded ${decimal(recorded)}`);
  const caption = element("label", { for: id }, label);
  return {
    name,
    node: element("div", { class: "wi-control" }, caption, track, number, told, reset),
    value: () => value,
    problem: () =>
      Number.isFinite(value)
        ? ""
        : `${label}: a ${digits ? "" : "whole "}number from ${decimal(min)} to ${decimal(max)}.`,
    reset: () => {
      number.removeAttribute("aria-invalid");
      set(recorded, false);
    },
  };
}

function copyable(label) {
  const code = element("code");
  const button = element("button", { type: "button", "aria-label": `Copy: ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
    }
  });
  const pre = element("pre", { tabIndex: 0 }, code);
  const node = element("div", { class: "wi-copy" }, element("p", {}, label), pre, button);
  return {
    node,
    show(text) {
      code.textContent = text;
      button.textContent = "Copy";
    },
  };
}

function commandPart() {
  const command = copyable("The command that makes this packet");
  const profile = copyable("Save as what-if.yaml");
  const notes = element("p", { class: "wi-note" });
  const node = element("div", { class: "wi-command" }, command.node, profile.node, notes);
  return {
    node,
    show(data, settings) {
      command.show(commandText(data, settings));
      profile.node.hidden = !hasOtherWeights(data, settings);
      profile.show(profileText(data, settings));
      notes.textContent = commandNotes(data, settings).join(" ");
    },
  };
}

function drawUnavailable(section, data, reason, hint) {
  const command = commandPart();
  if (data.command) command.show(data, settingsOf(recordedValues(data)));
  section.append(
    element("p", { class: "wi-failure" }, `Nothing can be tried out in this page. ${visible(reason)}`),
    hint ? element("p", { class: "wi-note" }, `${visible(hint)}.`) : "",
    data.command ? command.node : "",
  );
}

function drawControls(section, data, table) {
  const command = commandPart();
  const result = element("div", { class: "wi-result" });
  const spoken = element("p", { class: "wi-spoken", role: "status" });
  let waiting = 0;
  let speaking = 0;
  const update = () => {
    waiting = 0;
    const values = Object.fromEntries(controls.map(({ name, value }) => [name, value()]));
    const settings = settingsOf(values);
    const isRecorded = isAsRecorded(data, values);
    const problem = controls.map((each) => each.problem()).find(Boolean);
    const found = problem ? { error: problem } : selected(table, settings);
    result.replaceChildren(...(found.rows ? resultParts(data, found, isRecorded) : failureParts(found)));
    const isAsked = !found.error;
    command.node.hidden = !isAsked;
    if (isAsked) command.show(data, settings);
    clearTimeout(speaking);
    speaking = setTimeout(() => {
      spoken.textContent = [...result.querySelectorAll(":scope > p")].map((p) => p.textContent).join(" ");
    }, READ_ALOUD_MS);
  };
  const soon = () => {
    if (!waiting) waiting = requestAnimationFrame(update);
  };
  const controls = CONTROLS.map((each) => controlOf(data, each, soon));
  const resetAll = element("button", { type: "button", class: "wi-reset-all" }, "Reset everything");
  resetAll.addEventListener("click", () => controls.forEach(({ reset }) => reset()));
  const form = element("fieldset", { class: "wi-controls" }, element("legend", {}, "Settings"));
  form.append(...controls.map(({ node }) => node), resetAll);
  section.append(form, result, spoken, command.node);
  update();
}

// Draws into the section of the page; says so instead where the page would not select what the
// packet holds.
function drawWhatIf(section, data) {
  section.hidden = false;
  section.setAttribute("aria-labelledby", "what-if-title");
  section.append(element("h2", { id: "what-if-title" }, "What if"));
  const before = document.querySelector('nav a[href="#window"]');
  if (before) {
    const link = element("a", { href: "#what-if" }, "What if");
    before.parentElement.after(element("li", {}, link));
  }
  if (data.unavailable) {
    drawUnavailable(section, data, data.unavailable, data.hint);
    return;
  }
  const table = prepared(data);
  const again = selected(table, settingsOf(recordedValues(data)));
  const ids = again.rows ? again.rows.map((row) => data.rows.id[row]) : [];
  const { packed } = data.recorded;
  if (ids.length !== packed.length || ids.some((id, place) => id !== packed[place])) {
    const reason = again.cannot ? CANNOT[again.cannot] : "selecting again does not give the packet.";
    drawUnavailable(section, data, reason, "");
    return;
  }
  section.append(
    element(
      "p",
      {},
      "The selection is made again in this page, from what the packet records, as the command would make it.",
    ),
  );
  drawControls(section, data, table);
}

pageData.then(
  ({ whatIf }) => drawWhatIf(document.getElementById("what-if"), whatIf),
  (error) => {
    const reason = `The page's data cannot be read: ${error.message}.`;
    drawWhatIf(document.getElementById("what-if"), { unavailable: reason, hint: "" });
  },
);
