// Packing by what a chunk adds: `packing/submodular.py` with `representation.py`.

// What a growing set is worth. Worth and similarities are whole millionths, so the sums of their
// products are exact below 2 ** 53.
class Representation {
  constructor(table, ranking) {
    this.table = table;
    this.represented = Int32Array.from(ranking.order.slice(0, table.data.max_represented));
    this.worths = worths(table, ranking);
    this.nearest = new Float64Array(this.represented.length);
    this.perSource = new Map();
    const most = this.represented.reduce((sum, row) => sum + this.worths[row], 0);
    this.isExact = most * MILLION < Number.MAX_SAFE_INTEGER;
  }

  copy() {
    const copy = Object.assign(Object.create(Representation.prototype), this);
    copy.nearest = this.nearest.slice();
    copy.perSource = new Map(this.perSource);
    return copy;
  }

  get worth() {
    let sum = 0;
    this.represented.forEach((row, place) => {
      sum += this.worths[row] * this.nearest[place];
    });
    const roots = [...this.perSource.values()].map((total) => Math.sqrt(total / MILLION));
    return sum / 1e12 + exactSum(roots);
  }

  // Highest similarity of each represented row to what is in and to `rows`; the table is symmetric,
  // and a row is like itself by 1.
  nearestWith(rows) {
    const { represented, nearest, table } = this;
    const highest = nearest.slice();
    for (const row of rows) {
      const start = row * table.n;
      for (let place = 0; place < highest.length; place += 1) {
        const similarity = table.similar[start + represented[place]];
        if (similarity > highest[place]) highest[place] = similarity;
      }
    }
    return highest;
  }

  add(rows) {
    this.nearest = this.nearestWith(rows);
    const { source } = this.table.columns;
    for (const row of rows) {
      this.perSource.set(source[row], (this.perSource.get(source[row]) ?? 0) + this.worths[row]);
    }
  }

  gain(rows) {
    const { represented, nearest, worths: worth } = this;
    const highest = this.nearestWith(rows);
    let sum = 0;
    for (let place = 0; place < highest.length; place += 1) {
      sum += worth[represented[place]] * (highest[place] - nearest[place]);
    }
    return sum / 1e12 + this.diversity(rows);
  }

  diversity(rows) {
    const { source } = this.table.columns;
    const added = new Map();
    for (const row of rows) added.set(source[row], (added.get(source[row]) ?? 0) + this.worths[row]);
    const steps = [...added].map(([name, more]) => {
      const before = this.perSource.get(name) ?? 0;
      return Math.sqrt((before + more) / MILLION) - Math.sqrt(before / MILLION);
    });
    return exactSum(steps);
  }
}

function gainPerToken(gain, cost) {
  if (cost) return gain / cost;
  return gain > 0 ? Infinity : 0;
}

// Takes units by gain per token. A gain that was worked out before something came in is an upper
// bound, and is worked out again when its unit comes first.
function takenByGain(selection, state, candidates, gains) {
  const { units } = selection;
  const current = new Map(candidates.map((number, place) => [number, gains[place]]));
  const isBefore = (one, two) => one.rate > two.rate || (one.rate === two.rate && one.number < two.number);
  for (const topicsFirst of [true, false]) {
    if (topicsFirst && !selection.hasOpenTopics()) continue;
    let waiting = [...current]
      .filter(([number]) => !topicsFirst || selection.bringsOpenTopic(units[number]))
      .map(([number, gain]) => ({ rate: gainPerToken(gain, units[number].cost), number, seen: 0 }));
    while (waiting.length) {
      let first = 0;
      for (let at = 1; at < waiting.length; at += 1) {
        if (isBefore(waiting[at], waiting[first])) first = at;
      }
      const { rate, number, seen } = waiting[first];
      waiting[first] = waiting[waiting.length - 1];
      waiting.pop();
      const unit = units[number];
      if (!selection.isUndecided(number) || !selection.admits(unit)) continue;
      if (topicsFirst && !selection.bringsOpenTopic(unit)) continue;
      if (seen !== selection.taken.length) {
        const gain = state.gain(unit.rows);
        current.set(number, gain);
        waiting.push({ rate: gainPerToken(gain, unit.cost), number, seen: selection.taken.length });
      } else if (rate > 0 || topicsFirst) {
        selection.take(number);
        state.add(unit.rows);
      }
    }
  }
}

function packedByGain(selection) {
  const { table, ranking, limit } = selection;
  const start = new Representation(table, ranking);
  if (!start.isExact) return { cannot: "weights" };
  start.add(Array.from({ length: table.nRequired }, (_, row) => row));
  const before = start.worth;
  start.add(selection.taken.flatMap((number) => selection.units[number].rows));
  const candidates = selection.openUnits();
  const gains = candidates.map((number) => start.gain(selection.units[number].rows));
  let best = { selection, state: start.copy() };
  takenByGain(selection, best.state, candidates, gains);
  const highest = Math.max(...gains);
  if (candidates.length && start.worth + highest > best.state.worth) {
    const alone = new Selection(table, ranking, limit);
    const state = start.copy();
    const number = candidates[gains.indexOf(highest)];
    alone.take(number);
    state.add(alone.units[number].rows);
    takenByGain(alone, state, candidates, gains);
    if (alone.covered.size >= selection.covered.size) best = { selection: alone, state };
  }
  return { selection: best.selection, value: rounded(best.state.worth - before, MILLION) };
}
