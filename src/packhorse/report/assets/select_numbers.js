// Numbers as the Python stages have them: the same doubles, rounded at the same places.

const MILLION = 1e6;
const WHOLE = 2 ** 52; // From here on every double is whole.

// To the nearest whole number, halves to the even one, as numpy.rint; Math.round takes halves up.
function rint(x) {
  if (!(Math.abs(x) < WHOLE)) return x;
  return x < 0 ? -(-x + WHOLE - WHOLE) : x + WHOLE - WHOLE;
}

// As numpy.round(x, decimals), where `scale` is 10 ** decimals.
function rounded(x, scale) {
  return rint(x * scale) / scale;
}

// Sum of values[start .. start + count) in the order in which numpy adds up a row: eight running
// sums, and halves of rows of more than 128.
function pairwiseSum(values, start, count) {
  if (count < 8) {
    let sum = 0;
    for (let i = 0; i < count; i += 1) sum += values[start + i];
    return sum;
  }
  if (count <= 128) {
    const r = values.slice(start, start + 8);
    let i = 8;
    for (; i < count - (count % 8); i += 8) {
      for (let lane = 0; lane < 8; lane += 1) r[lane] += values[start + i + lane];
    }
    let sum = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
    for (; i < count; i += 1) sum += values[start + i];
    return sum;
  }
  const half = Math.floor(count / 2) - (Math.floor(count / 2) % 8);
  return pairwiseSum(values, start, half) + pairwiseSum(values, start + half, count - half);
}

// The sum rounded once, as math.fsum (Shewchuk, 1997: partial sums that do not overlap).
function exactSum(values) {
  const partials = [];
  for (let x of values) {
    let kept = 0;
    for (let y of partials.slice()) {
      if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
      const high = x + y;
      const low = y - (high - x);
      if (low !== 0) {
        partials[kept] = low;
        kept += 1;
      }
      x = high;
    }
    partials.length = kept;
    partials.push(x);
  }
  if (!partials.length) return 0;
  let at = partials.length - 1;
  let high = partials[at];
  let low = 0;
  while (at > 0 && low === 0) {
    const x = high;
    at -= 1;
    high = x + partials[at];
    low = partials[at] - (high - x);
  }
  // What is left below may tip a half the other way.
  if (at > 0 && low * partials[at - 1] > 0) {
    const twice = high + low * 2;
    if (twice - high === low * 2) return twice;
  }
  return high;
}

// Places 0 .. count-1 by ascending key; equal keys stay in order (sort is stable since ES2019).
function sortedPlaces(count, key) {
  const places = Array.from({ length: count }, (_, place) => place);
  return places.sort((one, two) => {
    const a = key(one);
    const b = key(two);
    return a < b ? -1 : a > b ? 1 : 0;
  });
}

// (n, n) similarities in millionths from what stands above the diagonal: 20 bits each, low bits
// first, base64. A row is like itself by 1; without vectors it is like nothing else.
function readTriangle(text, n) {
  const table = new Float64Array(n * n);
  for (let row = 0; row < n; row += 1) table[row * n + row] = MILLION;
  if (text === null) return table;
  const bytes = atob(text);
  let pair = 0;
  for (let row = 0; row < n; row += 1) {
    for (let other = row + 1; other < n; other += 1) {
      const at = Math.floor(pair / 2) * 5;
      const middle = bytes.charCodeAt(at + 2);
      const millionths =
        pair % 2 === 0
          ? bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8) | ((middle & 15) << 16)
          : (middle >> 4) | (bytes.charCodeAt(at + 3) << 4) | (bytes.charCodeAt(at + 4) << 12);
      table[row * n + other] = millionths;
      table[other * n + row] = millionths;
      pair += 1;
    }
  }
  return table;
}
