// Streamlit's dialog about a lost connection, which covers the sentence and takes the keyboard.

const TITLE = "Connection error"; // Streamlit has it in English only

/** Close the dialog whenever it opens, until the signal: the editor says that the server is away, and goes on. */
export function closeConnectionErrors(signal) {
  const observer = new MutationObserver(() => {
    for (const dialog of document.querySelectorAll("[role=dialog]"))
      if (dialog.querySelector("h2")?.textContent === TITLE) dialog.querySelector("button")?.click();
  });
  observer.observe(document.body, { childList: true });
  signal.addEventListener("abort", () => observer.disconnect());
}
