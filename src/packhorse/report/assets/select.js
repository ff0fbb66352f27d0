// Selection again, with another budget, lambda or weights: pure functions, no page.

const STRATEGIES = {
  ranked: packedByRank,
  density: packedByDensity,
  submodular: packedByGain,
  optimal: packedAtBest,
};

// What is wrong with settings, as `config.py` has it; empty for nothing.
function refusal(settings) {
  const { weights, lambda, budget } = settings;
  const numbers = [...Object.values(weights), lambda, budget];
  if (!numbers.every(Number.isFinite)) return "A setting is no number.";
  if (!Number.isInteger(budget) || budget < 0) return "The budget is a whole number of 0 or more.";
  if (lambda < 0 || lambda > 1) return "Lambda is from 0 to 1.";
  const shares = [weights.relevance, weights.trust, weights.freshness, weights.coverage];
  if (shares.some((share) => share < 0)) return "Weights are 0 or more.";
  if (weights.deduplication > 0) return "The deduplication weight is a penalty: 0 or below.";
  if (shares.reduce((sum, share) => sum + share, 0) <= 0) {
    return "At least one of relevance, trust, freshness and coverage needs a weight above 0.";
  }
  return "";
}

// Packed with room kept for the longest closing notice where something does not fit:
// `packing/notice_room.py`.
function packedBeside(table, ranking, room) {
  const pack = STRATEGIES[table.data.strategy];
  const longest = table.data.longest_notice;
  const whole = pack(new Selection(table, ranking, room));
  if (!longest || whole.cannot) return { ...whole, kept: 0 };
  const { tokens } = table.columns;
  const { selection } = whole;
  const didNotFit = ({ code }, row) =>
    code === "exceeded_remaining_budget" || (code === "not_in_best_set" && tokens[row] > selection.left);
  let hasLeftOut = false;
  selection.units.forEach((unit, number) => {
    if (unit.rows.every((row) => selection.rowsIn.has(row))) return;
    hasLeftOut ||= unit.rows.some((row) => didNotFit(selection.exclusion(number, row), row));
  });
  const required = tokens.slice(0, table.nRequired).reduce((sum, each) => sum + each, 0);
  const smallest = ranking.order.length ? Math.min(...ranking.order.map((row) => tokens[row])) : 0;
  const least = required + Math.max(table.data.notice_share * longest, smallest + longest);
  if (!hasLeftOut || room < least) return { ...whole, kept: 0 };
  return { ...pack(new Selection(table, ranking, room - longest)), kept: longest };
}

// {rows, rank, score, tokens, value, out} of the selection with `settings` {budget, lambda,
// weights}: packed rows in reading order, rank and score (in millionths) by row, tokens of the
// preamble and of all blocks, the strategy's value, and row -> {code, ...} for what is out.
// {error} or {tooSmall: tokens needed} where there is no packet at all, {cannot} where only the command can tell.
function selected(table, settings) {
  const { data } = table;
  const error = refusal(settings);
  if (error) return { error };
  const budget = Math.min(settings.budget, data.available);
  // Without a budget there is no preamble either.
  const beside = budget ? data.budget - data.room : 0;
  const room = budget - beside;
  const { tokens } = table.columns;
  let needed = beside;
  for (let row = 0; row < table.nRequired; row += 1) needed += tokens[row];
  if (needed > budget) return { tooSmall: needed };
  const ranking = ranked(table, settings);
  const packed = packedBeside(table, ranking, room);
  if (packed.cannot) return packed;
  const { selection, value, kept } = packed;
  const merged = mergedRanks(table, ranking);
  const byRank = merged.filter((row) => selection.rowsIn.has(row));
  const out = new Map([...ranking.out].map(([row, code]) => [row, { code }]));
  selection.units.forEach((unit, number) => {
    if (unit.rows.every((row) => selection.rowsIn.has(row))) return;
    for (const row of unit.rows) out.set(row, selection.exclusion(number, row));
  });
  return {
    rows: READING_ORDERS[data.order](byRank, table.columns),
    rank: new Map(merged.map((row, place) => [row, place + 1])),
    score: ranking.score,
    tokens: beside + kept + selection.used,
    budget,
    value,
    out,
  };
}
