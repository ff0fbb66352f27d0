// Ranking: marginal value over the composite score, one row after the other, as
// `rerank/five_signals.py` with `rerank/composite.py`, `coverage.py` and `greedy.py`.
// Filters and duplicates depend on no setting here, so what they took out is not in the table.

// Everything fixed about the candidates. Rows: required ones in the order of reservation, then the
// others in the order that decides ties.
function prepared(data) {
  const columns = data.rows;
  const n = columns.id.length;
  return {
    n,
    nRequired: data.n_required,
    columns,
    topics: data.topics.length,
    strengths: Float64Array.from(columns.strengths.flat()),
    similar: readTriangle(data.similarities, n),
    data,
  };
}

function standings(table, weights) {
  const { relevance, trust, freshness } = table.columns;
  return Float64Array.from({ length: table.n }, (_, row) => {
    const share =
      weights.relevance * relevance[row] + weights.trust * trust[row] + weights.freshness * freshness[row];
    return share * MILLION;
  });
}

// What a row adds to the covered topics, in millionths.
function addedCoverage(table, row, covered) {
  const { topics, strengths } = table;
  const added = new Float64Array(topics);
  for (let topic = 0; topic < topics; topic += 1) {
    added[topic] = Math.max(strengths[row * topics + topic] - covered[topic], 0);
  }
  return rint(rounded(pairwiseSum(added, 0, topics) / topics, MILLION) * MILLION);
}

// {order, score, out}: rows that compete, best first; scores of those and of the required ones in
// millionths; row -> reason code for what the source cap and the top-k cut took out.
function ranked(table, settings) {
  const { n, nRequired, topics, similar } = table;
  const { weights, lambda } = settings;
  const { source } = table.columns;
  const { top_k: topK, source_cap: cap } = table.data;
  const standing = standings(table, weights);
  const base = standing.slice();
  const similarity = new Float64Array(n);
  const score = new Float64Array(n);
  const value = new Float64Array(n);
  const covered = new Float64Array(topics);
  const perSource = new Map();

  function cover(row) {
    if (topics) base[row] = standing[row] + weights.coverage * addedCoverage(table, row, covered);
  }
  function measure(row) {
    score[row] = rint(weights.deduplication * similarity[row] + base[row]);
    value[row] = rint(lambda * score[row] - (1 - lambda) * similarity[row]);
  }
  function choose(row) {
    let grew = false;
    for (let topic = 0; topic < topics; topic += 1) {
      const strength = table.strengths[row * topics + topic];
      if (strength > covered[topic]) {
        covered[topic] = strength;
        grew = true;
      }
    }
    perSource.set(source[row], (perSource.get(source[row]) ?? 0) + 1);
    return grew;
  }
  const isFull = (row) => cap !== null && (perSource.get(source[row]) ?? 0) >= cap;

  for (let row = 0; row < nRequired; row += 1) {
    for (let other = 0; other < row; other += 1) {
      similarity[row] = Math.max(similarity[row], similar[row * n + other]);
    }
    cover(row);
    measure(row);
    choose(row);
  }
  let open = [];
  const out = new Map();
  for (let row = nRequired; row < n; row += 1) {
    for (let other = 0; other < nRequired; other += 1) {
      similarity[row] = Math.max(similarity[row], similar[row * n + other]);
    }
    cover(row);
    measure(row);
    if (isFull(row)) out.set(row, "source_cap");
    else open.push(row);
  }
  const order = [];
  while (open.length && (topK === null || order.length < topK)) {
    let best = open[0];
    for (const row of open) if (value[row] > value[best]) best = row;
    order.push(best);
    const grew = choose(best);
    const rest = [];
    const start = best * n;
    for (const row of open) {
      if (row === best) continue;
      const isNearer = similar[start + row] > similarity[row];
      if (isNearer) similarity[row] = similar[start + row];
      if (grew) cover(row);
      if (isNearer || grew) measure(row);
      if (source[row] === source[best] && isFull(row)) out.set(row, "source_cap");
      else rest.push(row);
    }
    open = rest;
  }
  for (const row of open) out.set(row, "not_selected_by_mmr");
  return { order, score, out };
}

// The ranked list with required rows at the place that their score earns: `pipeline.merged_ranks`.
function mergedRanks(table, ranking) {
  const { order, score } = ranking;
  const merged = order.slice();
  for (const row of sortedPlaces(table.nRequired, (each) => -score[each])) {
    const place = merged.findIndex((other) => score[other] < score[row]);
    merged.splice(place < 0 ? merged.length : place, 0, row);
  }
  return merged;
}

// Packed rows, given best first, as they are read: the orders of `order/`.
const READING_ORDERS = {
  relevance: (rows) => rows,
  reverse: (rows) => rows.slice().reverse(),
  sandwich: (rows) => [...rows.slice(0, 1), ...rows.slice(2), ...rows.slice(1, 2)],
  edges: (rows) => [
    ...rows.filter((_, place) => place % 2 === 0),
    ...rows.filter((_, place) => place % 2 === 1).reverse(),
  ],
  chronological: (rows, { seconds, tie }) =>
    rows.slice().sort((a, b) => {
      if ((seconds[a] === null) !== (seconds[b] === null)) return seconds[a] === null ? 1 : -1;
      return (seconds[a] ?? 0) - (seconds[b] ?? 0) || tie[a] - tie[b];
    }),
  source: (rows, { source, position, tie }) => {
    const first = new Map();
    rows.forEach((row, place) => first.has(source[row]) || first.set(source[row], place));
    return rows
      .slice()
      .sort(
        (a, b) =>
          first.get(source[a]) - first.get(source[b]) || position[a] - position[b] || tie[a] - tie[b],
      );
  },
};
