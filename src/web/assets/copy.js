// @ts-check
// Buttons that copy the text of another element: data-copy names it. Commands get the address of the page, because
// behind a proxy the service does not know it.

const commands = document.querySelector('[data-origin]');
const given = commands?.getAttribute('data-origin') ?? '';
if (commands !== null && given !== location.origin)
  for (const text of commands.querySelectorAll('pre'))
    text.textContent = text.textContent?.replaceAll(given, location.origin) ?? '';

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
