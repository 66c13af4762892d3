// Keys of all pages. Nothing is done here that a link or a form does not do as well.
"use strict";

const isTyping = (target) => target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
let wasGo = -Infinity;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && isTyping(event.target)) { event.target.blur(); return; }
  if (isTyping(event.target)) return;
  if (performance.now() - wasGo < 1500) {
    wasGo = -Infinity;
    const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
    if (link) { event.preventDefault(); link.click(); return; }
  }
  if (event.key === "/") {
    event.preventDefault();
    (document.getElementById("q") || document.getElementById("quick")).focus();
  } else if (event.key === "g") {
    wasGo = performance.now();
    event.stopImmediatePropagation();
  } else if (event.key === "?") {
    document.getElementById("keys").showModal();
  } else if (event.key === "j" || event.key === "k") {
    const rows = [...document.querySelectorAll("a.row")];
    if (!rows.length) return;
    const at = rows.indexOf(document.activeElement) + (event.key === "j" ? 1 : -1);
    rows[Math.max(0, Math.min(rows.length - 1, at))].focus();
  }
});

document.getElementById("keys-button").addEventListener("click", () => document.getElementById("keys").showModal());
// What a search answers with an error is shown too.
document.addEventListener("htmx:beforeSwap", (event) => { if (event.detail.xhr.status >= 400) event.detail.shouldSwap = true; });
document.querySelectorAll("[data-copy]").forEach((button) => button.addEventListener("click", async () => {
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  button.textContent = "Copied";
}));
