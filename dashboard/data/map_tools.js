// Buttons for Plotly's tools, and word of what a person has set on the map: the part looked at, the
// tool in hand and the groups hidden. Streamlit draws a changed figure as a new chart, which the
// page then makes to look like the one before.
const CHART = ".st-key-map-canvas .js-plotly-plot";
const WAIT = 150;

export default function ({ parentElement, setStateValue, setTriggerValue }) {
  const buttons = [...parentElement.querySelectorAll("[data-tool]")];
  let attached = null;
  let told = "";
  let timer = 0;

  const tell = () => {
    const layout = attached?._fullLayout;
    if (!attached?.isConnected || !layout?.xaxis) return;
    const hidden = attached._fullData.filter((trace) => trace.visible === "legendonly");
    const stance = {
      revision: attached.layout.uirevision,
      x: [...layout.xaxis.range],
      y: [...layout.yaxis.range],
      tool: layout.dragmode,
      hidden: hidden.map((trace) => trace.meta),
    };
    for (const button of buttons) {
      button.setAttribute("aria-checked", String(button.dataset.tool === stance.tool));
    }
    if (JSON.stringify(stance) === told) return;
    told = JSON.stringify(stance);
    setStateValue("stance", stance);
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(tell, WAIT);
  };
  const attach = () => {
    const chart = document.querySelector(CHART);
    if (!chart?.on || chart === attached) return;
    attached = chart;
    for (const event of ["plotly_relayout", "plotly_restyle", "plotly_afterplot"]) {
      chart.on(event, soon);
    }
    chart.on("plotly_deselect", () => setTriggerValue("cleared", true));
    soon();
  };
  for (const button of buttons) {
    button.onclick = () =>
      document.querySelector(`${CHART} .modebar-btn[data-val="${button.dataset.tool}"]`)?.click();
  }
  const observer = new MutationObserver(attach);
  observer.observe(document.querySelector(".stMain") ?? document.body, {
    childList: true,
    subtree: true,
  });
  attach();
  return () => {
    observer.disconnect();
    clearTimeout(timer);
  };
}
