// What pages do better with a script. Everything works without it.
"use strict";

// A form is sent once, however often its button is pressed. The server holds that too.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent && form.method === "post") {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  const button = event.submitter;
  if (button && button.dataset.busy) {
    button.dataset.label = button.textContent;
    button.textContent = button.dataset.busy;
    button.setAttribute("aria-busy", "true");
  }
});

// Whoever comes back with the browser's own button may send it again.
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
  for (const button of document.querySelectorAll("button[data-label]")) {
    button.textContent = button.dataset.label;
    button.removeAttribute("aria-busy");
  }
});
