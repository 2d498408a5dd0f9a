import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe-core finds wrong with a page, with nothing ignored: rule, element and reason of each. */
export async function axeViolations(page: Page): Promise<string[]> {
  // As a script of the DevTools: the policy of the page allows no other.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: loaded } = globalThis as unknown as { axe: typeof axe }; // defined by the script above
    const { violations } = await loaded.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
    );
  });
}
