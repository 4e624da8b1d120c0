// Numbers of a scene: arrays from base64 text, and their values between the instants.

export function floats(text) {
  return new Float32Array(bytes(text));
}

export function whole(text) {
  return new Uint32Array(bytes(text));
}

function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) out[k] = raw.charCodeAt(k);
  return out.buffer; // smallest byte first, as on every machine with a browser
}

// The instant before t and the fraction of the way to the next one.
export function moment(instants, t) {
  let low = 0;
  let high = instants.length - 1;
  if (high === 0 || t <= instants[0]) return [0, 0];
  if (t >= instants[high]) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (instants[middle] <= t) low = middle;
    else high = middle;
  }
  const span = instants[high] - instants[low];
  return [low, span > 0 ? (t - instants[low]) / span : 0];
}

// Row k of an array with rows of a width, on the way to the next row by a fraction; in `out`, as many as it holds.
export function mixed(array, width, [k, fraction], offset, out) {
  const from = k * width + offset;
  for (let i = 0; i < out.length; i++) {
    out[i] = array[from + i];
    if (fraction > 0) out[i] += fraction * (array[from + width + i] - out[i]);
  }
  return out;
}

// One number per instant, at an instant between two.
export function between(array, [k, fraction]) {
  return fraction > 0 ? array[k] + fraction * (array[k + 1] - array[k]) : array[k];
}

// A round number 1, 2 or 5 times a power of ten near x.
export function round125(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

// A number with four digits or more, three where it has an exponent.
export function short(x, digits = 4) {
  if (x === 0) return "0";
  const size = Math.abs(x);
  return size < 1e-3 || size >= 1e5 ? x.toExponential(digits - 2) : String(Number(x.toPrecision(digits)));
}
