// The best set under the budget alone: `packing/optimal.py` with `knapsack.py` and `bound.py`.
// With group rules the Python side asks an integer solver, which a page does not have.

const CORE = 128; // Units nearest to undecided, which are solved first.
const SLACK = 1e-2;
const MAX_CELLS = 64e6; // Size of the largest table filled in here: units x tokens, a byte each.

// Upper bound in whole millionths: the best selection when the last unit may be cut.
function fractionalBound(values, tokens, capacity) {
  const usable = [...values.keys()].filter((at) => values[at] > 0 && tokens[at] <= capacity);
  const total = usable.reduce((sum, at) => sum + tokens[at], 0);
  if (total <= capacity) return usable.reduce((sum, at) => sum + values[at], 0);
  const density = usable.map((at) => values[at] / Math.max(tokens[at], 1e-9));
  let filled = 0;
  let whole = 0;
  for (const place of sortedPlaces(usable.length, (each) => -density[each])) {
    const at = usable[place];
    if (filled + tokens[at] > capacity) {
      const cut = BigInt(values[at]) * BigInt(capacity - filled);
      const part = (cut + BigInt(tokens[at]) - 1n) / BigInt(tokens[at]);
      return whole + Number(part);
    }
    filled += tokens[at];
    whole += values[at];
  }
  return whole;
}

// Value per token at which the budget is full, and the units worth more than that.
function goingRate(values, tokens, capacity) {
  const density = values.map((value, at) => value / Math.max(tokens[at], 1e-9));
  const bestFirst = sortedPlaces(values.length, (at) => -density[at]);
  const taken = new Array(values.length).fill(false);
  let filled = 0;
  for (const at of bestFirst) {
    filled += tokens[at];
    if (filled > capacity) return { rate: values[at] / tokens[at], taken };
    taken[at] = true;
  }
  return { rate: 0, taken };
}

// The best set in which every unit that is not open is as in `taken`; null where it is too large.
function filledIn(values, tokens, capacity, isOpen, taken) {
  const chosen = [...values.keys()].filter((at) => taken[at] && !isOpen[at]);
  const units = [...values.keys()].filter((at) => isOpen[at]);
  const decided = chosen.reduce((sum, at) => sum + tokens[at], 0);
  const open = units.reduce((sum, at) => sum + tokens[at], 0);
  const width = Math.min(capacity - decided, open);
  if (units.length * (width + 1) > MAX_CELLS) return null;
  const best = new Float64Array(width + 1);
  const choices = new Uint8Array(units.length * (width + 1));
  units.forEach((unit, turn) => {
    const cost = tokens[unit];
    const row = turn * (width + 1);
    for (let at = width; at >= cost; at -= 1) {
      const withIt = best[at - cost] + values[unit];
      if (withIt > best[at]) {
        best[at] = withIt;
        choices[row + at] = 1;
      }
    }
  });
  let left = width;
  for (let turn = units.length - 1; turn >= 0; turn -= 1) {
    if (choices[turn * (width + 1) + left]) {
      chosen.push(units[turn]);
      left -= tokens[units[turn]];
    }
  }
  return chosen;
}

// Units of the highest value that fit together; null where the tables would be too large.
function bestSet(values, tokens, capacity) {
  const worth = (chosen) => chosen.reduce((sum, at) => sum + values[at], 0);
  const { rate, taken } = goingRate(values, tokens, capacity);
  const prices = values.map((value, at) => Math.abs(value - rate * tokens[at]));
  const ceiling = fractionalBound(values, tokens, capacity);
  const core = new Array(values.length).fill(false);
  for (const at of sortedPlaces(values.length, (each) => prices[each]).slice(0, CORE)) core[at] = true;
  const first = filledIn(values, tokens, capacity, core, taken);
  if (first === null || core.every(Boolean)) return first;
  const atLeast = worth(first) + 1 - SLACK;
  const isOpen = prices.map((price) => ceiling - price >= atLeast);
  const better = filledIn(values, tokens, capacity, isOpen, taken);
  if (better === null) return null;
  return worth(better) > worth(first) ? better : first;
}

// Whether every unit of a program may be in at once, and whether the budget is its only rule.
function programOf(selection, numbers) {
  const units = numbers.map((number) => selection.units[number]);
  const cost = units.reduce((sum, unit) => sum + unit.cost, 0);
  const rows = new Set(units.flatMap((unit) => unit.rows));
  const perSource = new Map(selection.perSource);
  for (const unit of units) {
    for (const [source, count] of unit.sources) perSource.set(source, (perSource.get(source) ?? 0) + count);
  }
  const touched = units.flatMap((unit) => [...unit.sources.keys()]);
  const hasCaps = selection.cap !== null && units.length > 0;
  const hasPairs = units.some((unit) => [...unit.rivals].some((rival) => rows.has(rival)));
  const hasTopics = units.some((unit) => selection.bringsOpenTopic(unit));
  const capsHold = !hasCaps || touched.every((source) => perSource.get(source) <= selection.cap);
  return {
    allFit: cost <= selection.room && capsHold && !hasPairs,
    isKnapsack: !hasCaps && !hasPairs && !hasTopics,
  };
}

function packedAtBest(selection) {
  const { units } = selection;
  const numbers = selection
    .openUnits()
    .filter((number) => units[number].value || selection.bringsOpenTopic(units[number]));
  const { allFit, isKnapsack } = programOf(selection, numbers);
  let chosen = [...numbers.keys()];
  if (!allFit) {
    if (!isKnapsack) return { cannot: "rules" };
    const values = numbers.map((number) => units[number].value);
    const total = values.reduce((sum, value) => sum + value, 0);
    if (total > Number.MAX_SAFE_INTEGER) return { cannot: "weights" };
    chosen = bestSet(values, numbers.map((number) => units[number].cost), selection.room);
    if (chosen === null) return { cannot: "size" };
  }
  for (const place of chosen.sort((a, b) => a - b)) selection.take(numbers[place]);
  selection.fill();
  return { selection, value: selection.value / MILLION };
}
