import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Evaluation } from '../../../src/evaluate/evaluation.ts';
import { evaluationOf } from '../../../src/evaluate/evaluation-of.ts';
import { ClassTally } from '../../../src/evaluate/statistics/class-tally.ts';
import { evaluationPage } from '../../../src/web/evaluate/evaluation-page.ts';
import { churned, evaluationOfSet, revenue } from '../../evaluate/evaluations.ts';
import { facts } from '../../evaluate/facts.ts';
import { newFolder } from '../../support/folder.ts';
import { noBrowser } from '../../support/service/browser.ts';
import { checkLook, looks, openBrowser, openPage } from '../../support/web/browser.ts';

const long = 'a-very-long-name-without-any-space-in-it'.repeat(4);
const pages: Record<string, Evaluation> = {
  'two classes, with an earlier evaluation and the report': churned(
    { plans: ['basic', long, ''] },
    { testing: { auc: 0.83, accuracy: 0.8 }, earlier: { name: long, evaluation: churned() }, scored: [long] },
  ),
  '20 classes': evaluationOfSet('20 classes'),
  'one class only': evaluationOfSet('one class'),
  'one row': evaluationOfSet('one row'),
  numbers: revenue(),
  'no labels': evaluationOf(new ClassTally(['no', 'yes']), facts),
};

describe('the page of an evaluation in a browser', { skip: noBrowser, timeout: 300_000 }, () => {
  for (const [what, evaluation] of Object.entries(pages))
    it(`has no violation of axe, no message and no scroll bar below, for ${what}`, async t => {
      const file = join(await newFolder(t), 'evaluation.html');
      await writeFile(file, evaluationPage(evaluation));
      const browser = await openBrowser(t);
      for (const look of looks) {
        const { page, context, problems } = await openPage(browser, 'http://127.0.0.1', look);
        const named = `${look.theme}, ${look.width} px`;
        await page.goto(pathToFileURL(file).href);
        await checkLook(page, named);
        assert.deepEqual(problems, []);
        await context.close();
      }
    });
});
