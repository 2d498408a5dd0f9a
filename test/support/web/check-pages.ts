import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { newFolder } from '../folder.ts';
import { noBrowser } from '../service/browser.ts';
import { checkLook, looks, openBrowser, openPage } from './browser.ts';

/** Tests pages, which are written to files, in each look. @param pages by what each one shows */
export function checkPages(what: string, pages: Readonly<Record<string, () => string>>): void {
  describe(`${what} in a browser`, { skip: noBrowser, timeout: 300_000 }, () => {
    for (const [of, write] of Object.entries(pages))
      it(`has no violation of axe, no message and no scroll bar below, for ${of}`, async t => {
        const file = join(await newFolder(t), 'page.html');
        await writeFile(file, write());
        const browser = await openBrowser(t);
        for (const look of looks) {
          const { page, context, problems } = await openPage(browser, 'http://127.0.0.1', look);
          await page.goto(pathToFileURL(file).href);
          await checkLook(page, `${look.theme}, ${look.width} px`);
          assert.deepEqual(problems, []);
          await context.close();
        }
      });
  });
}
