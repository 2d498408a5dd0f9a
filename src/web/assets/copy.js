// @ts-check
// Buttons that copy the text of another element: data-copy names it.

const SHOWN_MS = 2_000;

for (const button of document.querySelectorAll('button[data-copy]')) {
  const source = document.getElementById(button.getAttribute('data-copy') ?? '');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source?.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      // Not allowed, or not https: the user copies the selection.
      if (source !== null) getSelection()?.selectAllChildren(source);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SHOWN_MS);
  });
}
