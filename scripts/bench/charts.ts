import * as echarts from "echarts";
import { compared, isSameCase, type Report } from "./report.ts";

const WIDTH = 920;
const HEIGHT = 520;
const COLOURS = ["#2563eb", "#d97706", "#059669", "#db2777", "#7c3aed", "#0891b2", "#65a30d"];
const INK = "#1f2937";

/** The p50 of each endpoint's slowest case as a ratio to the baseline, against the scale. */
export function latencyChart(report: Report): string {
  const scales = report.scales.map(({ name }) => name);
  const last = scales.at(-1) ?? "";
  const endpoints = [...new Set(compared(report, last, "ours").map(({ endpoint }) => endpoint))];
  const series = endpoints.map((endpoint) => ({
    name: endpoint,
    data: scales.map((scale) => {
      const ratios = compared(report, scale, "ours").filter((one) => one.endpoint === endpoint && one.name !== "cold");
      return rounded(Math.max(...ratios.map(({ ratio }) => ratio)));
    }),
  }));
  return lines({
    title: "p50 of the slowest case of each endpoint, to a SELECT 1",
    scales,
    axis: { name: "times the baseline", min: 0 },
    series: [...series, { name: "baseline", data: scales.map(() => 1), dashed: true }],
  });
}

/** The rows that a request reads against the scale: ours, and by the naive query where there is one. */
export function rowsChart(report: Report): string {
  const scales = report.scales.map(({ name }) => name);
  const last = scales.at(-1) ?? "";
  // One case for each endpoint that has a naive query: the one that costs that most.
  const shown = new Map<string, ReturnType<typeof compared>[number]>();
  for (const one of compared(report, last, "naive")) {
    if (one.rowsRead > (shown.get(one.endpoint)?.rowsRead ?? 0)) shown.set(one.endpoint, one);
  }
  const series = [...shown.values()].flatMap((one) =>
    (["ours", "naive"] as const).map((way) => ({
      name: way === "ours" ? `${one.endpoint}, ${one.name}` : `${one.endpoint}, the naive query`,
      dashed: way === "naive",
      data: scales.map((scale) => {
        const rows = compared(report, scale, way).find((other) => isSameCase(one, other))?.rowsRead ?? 0;
        // None at all, as of a warm board, has no place on this axis.
        return rows === 0 ? null : rows;
      }),
    })),
  );
  return lines({
    title: "Rows read by a request",
    scales,
    axis: { name: "rows", logarithmic: true },
    series,
    paired: true,
  });
}

interface Lines {
  title: string;
  scales: readonly string[];
  axis: { name: string; min?: number; logarithmic?: boolean };
  series: readonly { name: string; data: readonly (number | null)[]; dashed?: boolean }[];
  /** Whether two series after each other share a colour. */
  paired?: boolean;
}

function lines({ title, scales, axis, series, paired = false }: Lines): string {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  const colourOf = (index: number) => COLOURS[(paired ? Math.floor(index / 2) : index) % COLOURS.length] ?? INK;
  chart.setOption({
    animation: false,
    backgroundColor: "#ffffff",
    textStyle: { fontFamily: "system-ui, sans-serif", color: INK },
    title: { text: title, left: 16, top: 12, textStyle: { fontSize: 16, color: INK } },
    // Without a page to measure on, texts are taken to be narrower than they are.
    legend: { type: "plain", top: 44, left: 16, right: 16, itemWidth: 28, itemGap: 32 },
    grid: { left: 80, right: 40, top: 130, bottom: 60 },
    xAxis: { type: "category", data: [...scales], name: "customers", nameLocation: "middle", nameGap: 34 },
    yAxis: {
      type: axis.logarithmic ? "log" : "value",
      name: axis.name,
      nameLocation: "middle",
      nameGap: 56,
      ...(axis.min === undefined ? {} : { min: axis.min }),
    },
    series: series.map(({ name, data, dashed = false }, index) => ({
      type: "line",
      name,
      data: [...data],
      symbolSize: 8,
      lineStyle: { type: dashed ? "dashed" : "solid", width: 2 },
      color: name === "baseline" ? "#6b7280" : colourOf(index),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
