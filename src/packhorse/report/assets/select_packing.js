// Packing: `packing/units.py`, `selection.py`, `walk.py` and `density.py`.

// Worth of each row in millionths; see `packing/worth.py`.
function worths(table, ranking) {
  const { order, score } = ranking;
  const best = order.reduce((most, row) => Math.max(most, score[row]), -Infinity);
  return Array.from(score, (each) => {
    if (!order.length) return MILLION;
    const halvings = Math.max(best - each, 0) / MILLION / table.data.halved_by;
    return Math.max(rint(0.5 ** halvings * MILLION), 1);
  });
}

// Competing rows that go together; see `packing/units.py`.
function madeUnits(table, ranking) {
  const { rules, n_required: nRequired } = table.data;
  const { tokens, source, offers } = table.columns;
  const { order, out } = ranking;
  const worth = worths(table, ranking);
  const placeOf = new Map(order.map((row, place) => [row, place]));
  const groupOf = new Map();
  for (const group of rules.linked) for (const row of group.rows) groupOf.set(row, group);
  const rivalsOf = new Map();
  for (const [one, other] of rules.exclusive) {
    rivalsOf.set(one, [...(rivalsOf.get(one) ?? []), other]);
    rivalsOf.set(other, [...(rivalsOf.get(other) ?? []), one]);
  }
  const barred = (group, rows, rivals, sources) => {
    if (group.is_out || group.rows.some((row) => out.has(row))) return "linked_chunk_out";
    if (rows.some((row) => rivals.has(row))) return "exclusive_pair";
    if (rules.max_per_source !== null) {
      for (const count of sources.values()) if (count > rules.max_per_source) return "source_cap";
    }
    return null;
  };
  const units = [];
  const done = new Set();
  for (const first of order) {
    if (done.has(first)) continue;
    const group = groupOf.get(first) ?? { rows: [first], is_out: false };
    const places = group.rows.filter((row) => placeOf.has(row)).map((row) => placeOf.get(row));
    places.sort((a, b) => a - b);
    const rows = places.map((place) => order[place]);
    const rivals = new Set(rows.flatMap((row) => rivalsOf.get(row) ?? []));
    const sources = new Map();
    for (const row of rows) {
      done.add(row);
      sources.set(source[row], (sources.get(source[row]) ?? 0) + 1);
    }
    units.push({
      rows,
      cost: rows.reduce((sum, row) => sum + tokens[row], 0),
      value: rows.reduce((sum, row) => sum + worth[row], 0),
      sources,
      topics: new Set(rules.has_topics ? rows.flatMap((row) => offers[row]) : []),
      rivals,
      drawn: group.rows.some((row) => row < nRequired),
      barred: barred(group, rows, rivals, sources),
    });
  }
  return units;
}

// A selection under way; see `packing/selection.py`. Required rows are in from the start.
class Selection {
  constructor(table, ranking, limit) {
    const { rules, n_required: nRequired } = table.data;
    const { tokens, source, offers } = table.columns;
    this.table = table;
    this.ranking = ranking;
    this.units = madeUnits(table, ranking);
    this.limit = limit;
    this.cap = rules.max_per_source;
    this.used = 0;
    this.taken = [];
    this.passed = new Map();
    this.rowsIn = new Set();
    this.perSource = new Map();
    this.covered = new Set();
    for (let row = 0; row < nRequired; row += 1) {
      this.used += tokens[row];
      this.rowsIn.add(row);
      this.perSource.set(source[row], (this.perSource.get(source[row]) ?? 0) + 1);
      if (rules.has_topics) for (const topic of offers[row]) this.covered.add(topic);
    }
    this.offered = new Set(this.covered);
    for (const unit of this.units) for (const topic of unit.topics) this.offered.add(topic);
    this.units.forEach((unit, number) => {
      if (!unit.drawn) return;
      if (this.admits(unit)) this.take(number);
      else this.passOver(number);
    });
    this.room = this.left;
  }

  get left() {
    return this.limit - this.used;
  }

  get value() {
    return this.taken.reduce((sum, number) => sum + this.units[number].value, 0);
  }

  barrier(unit) {
    if (unit.barred !== null) return unit.barred;
    if (this.cap !== null) {
      for (const [source, count] of unit.sources) {
        if ((this.perSource.get(source) ?? 0) + count > this.cap) return "source_cap";
      }
    }
    for (const rival of unit.rivals) if (this.rowsIn.has(rival)) return "exclusive_pair";
    return null;
  }

  admits(unit) {
    return unit.cost <= this.left && this.barrier(unit) === null;
  }

  take(number) {
    const unit = this.units[number];
    this.taken.push(number);
    this.used += unit.cost;
    for (const row of unit.rows) this.rowsIn.add(row);
    for (const topic of unit.topics) this.covered.add(topic);
    for (const [source, count] of unit.sources) {
      this.perSource.set(source, (this.perSource.get(source) ?? 0) + count);
    }
  }

  passOver(number) {
    this.passed.set(number, { left: this.left, barrier: this.barrier(this.units[number]) });
  }

  isUndecided(number) {
    return !this.passed.has(number) && !this.units[number].rows.every((row) => this.rowsIn.has(row));
  }

  hasOpenTopics() {
    return this.covered.size < this.offered.size;
  }

  bringsOpenTopic(unit) {
    for (const topic of unit.topics) if (!this.covered.has(topic)) return true;
    return false;
  }

  openUnits() {
    const numbers = this.units.keys();
    return [...numbers].filter((n) => this.isUndecided(n) && this.admits(this.units[n]));
  }

  fill() {
    for (const number of this.openUnits()) {
      if (this.admits(this.units[number])) this.take(number);
    }
  }

  // Why a row of a unit that is out is out: `outcome._exclusion`.
  exclusion(number, row) {
    const unit = this.units[number];
    const needed = this.table.columns.tokens[row];
    const passed = this.passed.get(number);
    const had = passed ? passed.left : this.room;
    const late = unit.cost <= this.left ? this.barrier(unit) : unit.barred;
    const barrier = passed ? passed.barrier : late;
    if (needed > had) return { code: "exceeded_remaining_budget", needed, had };
    if (barrier !== null) return { code: barrier };
    if (unit.cost > had) return { code: "linked_chunk_out", needed: unit.cost, had };
    return { code: "not_in_best_set" };
  }
}

// Takes units in turn: first what brings an open topic, then all the rest.
function takenInOrder(selection, visits) {
  const { units } = selection;
  if (selection.hasOpenTopics()) {
    for (const number of visits) {
      if (!selection.bringsOpenTopic(units[number]) || !selection.isUndecided(number)) continue;
      if (selection.admits(units[number])) selection.take(number);
      if (!selection.hasOpenTopics()) break;
    }
  }
  for (const number of visits) {
    if (!selection.isUndecided(number)) continue;
    if (selection.admits(units[number])) selection.take(number);
    else selection.passOver(number);
  }
}

function packedByRank(selection) {
  takenInOrder(selection, [...selection.units.keys()]);
  return { selection, value: selection.value / MILLION };
}

function packedByDensity(selection) {
  const { units } = selection;
  const floor = selection.table.data.density_floor;
  const density = units.map((unit) => rounded(unit.value / MILLION / Math.max(unit.cost, floor), 1e9));
  takenInOrder(selection, sortedPlaces(units.length, (number) => -density[number]));
  return { selection, value: selection.value / MILLION };
}
