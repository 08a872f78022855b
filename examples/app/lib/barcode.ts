import { svg } from "./dom.ts";

// Code 128, ISO/IEC 15417: the widths of bars and gaps for the values 0 to 99. In code set C these are pairs of digits, in code
// set B the printable characters of ASCII.
const WIDTHS = `212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231
  113222 123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321
  232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121
  211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124
  121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241
  114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113 411311 113141`
  .trim()
  .split(/\s+/);
// The patterns of the values 100 to 102. Here only the check value can be one of them.
const CHECK_PATTERNS = ["114131", "311141", "411131"];
const START_C = { value: 105, widths: "211232" };
const START_B = { value: 104, widths: "211214" };
const STOP = "2331112";
const CHECK_MODULUS = 103;
const QUIET_ZONE = 10;
const FIRST_PRINTABLE = 32;

/** Draws a barcode. It is dark on light in every theme, so that scanners can read it. */
export function barcode(text: string): SVGSVGElement {
  const arePairs = /^(\d\d)+$/.test(text);
  const start = arePairs ? START_C : START_B;
  const values = arePairs
    ? (text.match(/\d\d/g) ?? []).map(Number)
    : [...text].map((character) => character.charCodeAt(0) - FIRST_PRINTABLE);
  const check = values.reduce((sum, value, index) => sum + value * (index + 1), start.value) % CHECK_MODULUS;
  const widths = [start.widths, ...[...values, check].map((value) => [...WIDTHS, ...CHECK_PATTERNS][value]), STOP].join(
    "",
  );

  let x = QUIET_ZONE;
  const bars = [...widths].map((width, index) => {
    const bar = index % 2 === 0 ? `M${x} 0h${width}v30h-${width}z` : "";
    x += Number(width);
    return bar;
  });
  const label = `Bar code ${text}`;
  const box = { viewBox: `0 0 ${x + QUIET_ZONE} 30`, preserveAspectRatio: "none", role: "img", "aria-label": label };
  return svg("svg", { class: "barcode", ...box }, svg("path", { d: bars.join("") }));
}
