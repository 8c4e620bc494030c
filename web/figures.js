// Figures as people read them. What is null or missing is an en dash.

export const NONE = "–";

const formats = new Map();

function fixed(digits) {
  if (!formats.has(digits)) {
    formats.set(digits, new Intl.NumberFormat("en-US",
      {minimumFractionDigits: digits, maximumFractionDigits: digits}));
  }
  return formats.get(digits);
}

function known(value, text) {
  return typeof value === "number" ? text(value) : NONE;
}

// 1178.1 is 1,178.1; with 2 digits 1,178.10.
export const speed = (value, digits = 1) => known(value, (v) => fixed(digits).format(v));

// 1.6222 is $1.62, 1178.1 is $1,178; below ten cents three digits count.
export const usd = (value) => known(value, (v) => {
  const digits = v >= 1000 ? 0 : v >= 0.1 || v === 0 ? 2 : Math.min(12, 2 - Math.floor(Math.log10(v)));
  return `$${fixed(digits).format(v)}`;
});

// Up to the next cent: 36782.894 is 36,782.90.
export const cents = (value) => fixed(2).format(Math.ceil(value * 100 - 1e-6) / 100);

// A price is shown as it was given, with two decimals at least: $6.88, $14.2416.
export const price = (value) => known(value, (v) =>
  `$${v.toLocaleString("en-US", {minimumFractionDigits: 2, maximumFractionDigits: 6})}`);

// 0.2194 is 21.9%.
export const share = (value, digits = 1) => known(value, (v) => `${fixed(digits).format(v * 100)}%`);

// 2.19 is 2.19%.
export const percent = (value, digits = 2) => known(value, (v) => `${fixed(digits).format(v)}%`);

export const count = (value) => known(value, (v) => v.toLocaleString("en-US", {maximumFractionDigits: 0}));

// Up to so many digits after the point, none for nothing: 13.293, 5.69, 128.
export const plain = (value, digits = 3) =>
  known(value, (v) => v.toLocaleString("en-US", {maximumFractionDigits: digits}));

// As the recipe states it, every digit; very small ones with an exponent: 0.98649, 8.6e-05.
export const exact = (value) => known(value, (v) => (v !== 0 && Math.abs(v) < 1e-4
  ? v.toExponential().replace(/e-(\d)$/, "e-0$1") : String(v)));

export const hours = (value) => known(value, (v) => `${v >= 1000 ? fixed(0).format(v) : v >= 1
  ? fixed(1).format(v) : plain(v)} h`);

// 30696013824 is 30.7B.
export function compact(value) {
  return known(value, (v) => {
    for (const [unit, letter] of [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "k"]]) {
      if (v >= unit) return `${plain(v / unit, v / unit < 100 ? 1 : 0)}${letter}`;
    }
    return plain(v);
  });
}

// Half of the 95% interval of a speed from its standard error.
export const interval = (stderr) => (typeof stderr === "number" ? 1.96 * stderr : null);

// The time in UTC, to the minute.
export const moment = (text) => (text ? text.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC") : NONE);

// A member's name as words: tokens_per_s_per_gpu is tokens per s per GPU.
const capitals = {gpu: "GPU", gpus: "GPUs", usd: "USD", mfu: "MFU", cv: "CV", tp: "TP", pp: "PP", vpp: "VPP", cp: "CP", ep: "EP", etp: "ETP", dp: "DP"};

export const words = (name) => name.split("_").map((word) => capitals[word] ?? word).join(" ");

export const slugName = (slug) => slug.toUpperCase();
