// How many scores a pattern takes: as a bar within that of the dense pattern, and as bars for every l.

import { assign, live, node, setText, svg } from "../shared/elements.js";
import { fill, number } from "../shared/words.js";
import { cost } from "./patterns.js";

export class CostMeter {
  constructor(labels) {
    this.labels = labels;
    this.pieces = ["first", "both", "second"].map((kind) => node("span", { class: kind }));
    this.ratio = live("ratio");
    this.sum = node("p", { class: "note" });
    this.bars = { others: svg("path", {}), now: svg("path", { class: "now" }), best: svg("path", { class: "best" }) };
    this.chart = svg("svg", { class: "chart", role: "img", preserveAspectRatio: "none" }, ...Object.values(this.bars));
    this.best = node("p", { class: "note" });
    this.byStride = node("div", { class: "strides" }, node("p", { class: "title" }, labels.by_stride), this.chart, this.best);
    this.part = node("div", { class: "cost" }, node("p", { class: "name" }, labels.cost),
      node("div", { class: "bar" }, ...this.pieces), this.ratio, this.sum, this.byStride);
  }

  show(at) {
    const { labels } = this, { counts: { first, second, both }, needed, dense } = at;
    [first, both, second].forEach((count, index) => { this.pieces[index].style.width = `${(100 * count) / dense}%`; });
    setText(this.ratio, fill(labels.ratio, { needed, dense, share: number((100 * needed) / dense, 0),
      ratio: number(dense / needed, 2) }));
    setText(this.sum, labels.sets[at.pattern].length === 1 ? ""
      : fill(labels.sum, { first: first + both, second: second + both, both, needed }));
    this.byStride.hidden = at.pattern === "dense";
    this.showStrides(at, Array.from({ length: at.n }, (_, index) => cost({ ...at, l: index + 1 })));
  }

  showStrides({ n, l, needed, dense, pattern }, costs) {
    const { labels, bars } = this, fewest = Math.min(...costs), best = costs.indexOf(fewest) + 1;
    const bar = (count, index) => (count < Infinity ? `M${index + 0.1} ${dense}v${-count}h.8v${count}z` : "");
    const alone = pattern === "window"; // which needs fewest where a position reads itself alone
    bars.others.setAttribute("d", costs.map(bar).join(""));
    bars.now.setAttribute("d", bar(costs[l - 1], l - 1));
    bars.best.setAttribute("d", alone ? "" : bar(fewest, best - 1));
    assign(this.chart, { viewBox: `0 0 ${n} ${dense}`, "aria-label": fill(labels.chart, { n }) });
    setText(this.best, fill(alone ? labels.no_best : best === l ? labels.best_now : labels.best,
      { best, fewest, stride: l, needed }));
  }
}
