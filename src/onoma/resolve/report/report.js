// Draw every chart that has its description beside it, in the colours of the page; again when those change.
(function () {
  "use strict";
  function config() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const [ink, soft, line] = ["--ink", "--soft", "--line"].map(colour);
    const axis = {
      labelColor: ink, titleColor: soft, gridColor: line, domainColor: line, tickColor: line,
      titleFontWeight: 500, labelFontSize: 11, titleFontSize: 12,
    };
    return {
      background: "transparent", font: "system-ui, sans-serif", axis: axis, view: { stroke: null },
      legend: { labelColor: ink, titleColor: soft, labelFontSize: 12 }, title: { color: ink },
      text: { fill: ink, fontSize: 11 },
    };
  }
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  function draw() {
    for (const place of document.querySelectorAll(".chart")) {
      const spec = JSON.parse(document.getElementById(place.dataset.spec).textContent);
      const options = {
        mode: "vega-lite", renderer: "svg", actions: false, config: config(),
        tooltip: { theme: dark.matches ? "dark" : "light" },
      };
      window.vegaEmbed(place, spec, options).catch(function (error) { place.textContent = String(error); });
    }
  }
  dark.addEventListener("change", draw);
  draw();
})();
