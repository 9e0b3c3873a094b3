// The reference of the REST interface: a button that copies each example, and examples in the language that the reader last
// opened. Without this script, the examples can be opened and selected all the same.
"use strict";

(() => {
  const STORED = "linepress-reference-language";
  const COPIED_MS = 1500;

  for (const sample of document.querySelectorAll("pre[data-operation]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(sample.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), COPIED_MS);
    });
    // Clipboards are available on https and on this machine only.
    if (navigator.clipboard) sample.append(button);
  }

  function stored() {
    try {
      return localStorage.getItem(STORED);
    } catch {
      return null;
    }
  }

  const language = stored();
  if (language !== null) {
    for (const details of document.querySelectorAll("details[data-language]")) {
      details.open = details.dataset.language === language;
    }
  }
  for (const summary of document.querySelectorAll("details[data-language] > summary")) {
    summary.addEventListener("click", () => {
      const details = summary.parentElement;
      if (details.open) return;
      try {
        localStorage.setItem(STORED, details.dataset.language);
      } catch {
        // The reader's browser stores nothing.
      }
    });
  }
})();
