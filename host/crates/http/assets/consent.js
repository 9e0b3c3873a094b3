// The consent page: a click on "Connect" counts only once the page has been visible and focused for a moment. Otherwise the
// second click of a double-click could grant access, when it was meant for a window that closed under the pointer.
"use strict";

(() => {
  const DELAY_MS = 700;
  let isReady = false;
  let timer;

  function setReady(ready) {
    isReady = ready;
    for (const button of document.querySelectorAll("[data-guarded]")) button.disabled = !ready;
  }

  function wait() {
    clearTimeout(timer);
    setReady(false);
    if (document.visibilityState === "visible" && document.hasFocus()) timer = setTimeout(setReady, DELAY_MS, true);
  }

  document.addEventListener(
    "submit",
    (event) => {
      if (isReady || !event.submitter || !("guarded" in event.submitter.dataset)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    true,
  );
  for (const name of ["focus", "blur", "pageshow"]) window.addEventListener(name, wait);
  for (const name of ["visibilitychange", "DOMContentLoaded"]) document.addEventListener(name, wait);
})();
