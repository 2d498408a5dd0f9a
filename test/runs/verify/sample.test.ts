import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client, type ScoreOptions, score, type VerifyOptions, verify } from '../../../src/index.ts';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { csv, history } from '../../support/service/history.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { slow } from '../../support/slow.ts';
import { send, startStub } from '../../support/stub/service.ts';

async function bench(t: TestContext, rows = 40) {
  const folder = await newFolder(t);
  const home = await trainedHome();
  const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
  await writeFile(input, csv(history({ rows })));
  const scoring = (more: Partial<ScoreOptions> = {}) =>
    score({ input, output, report: 'one', home, ...more });
  const verifying = (more: Partial<VerifyOptions> = {}) =>
    verify({ input, output, sample: 1000, report: 'one', home, ...more });
  const text = () => readFile(output, 'utf8');
  return { folder, input, output, home, scoring, verifying, text };
}

/** The records of an output, of which the first one has the last fields of another one, and that has its. */
function swapped(text: string, hasHeader: boolean, fields: number): string {
  const lines = text.trimEnd().split('\n');
  const first = hasHeader ? 1 : 0;
  const pattern = new RegExp(`(,[^,]*){${fields}}$`);
  const appended = lines.map(line => pattern.exec(line)?.[0] ?? '');
  const other = appended.findIndex((one, index) => index > first && one !== appended[first]);
  const mixed = lines.map((line, index) => {
    const from = index === first ? other : index === other ? first : index;
    return line.replace(pattern, appended[from] ?? '');
  });
  return `${mixed.join('\n')}\n`;
}

describe('a sample that is predicted again', () => {
  const shapes: [Partial<ScoreOptions & VerifyOptions>, fields: number][] = [
    [{}, 2],
    [{ prediction: true }, 3],
    [{ keep: ['customer'], rename: { customer: 'key' }, decimals: 4, prefix: 'p' }, 2],
    [{ keep: ['customer'], outputHeader: false, threshold: { Yes: 0.2 } }, 3],
    [{ keep: ['customer'], probabilities: ['Yes'] }, 1],
    [{ excludeFeatures: ['plan'], allowMissing: true }, 2],
  ];
  for (const [shape, fields] of shapes)
    it(`agrees with the run, and differs if probabilities are in another row: ${JSON.stringify(shape)}`, async t => {
      const { output, scoring, verifying, text } = await bench(t);
      await scoring(shape);
      const { prediction: _, ...told } = shape;
      const { agrees, sampled } = await verifying(told);
      assert.deepEqual([agrees, sampled], [true, 40]);
      await writeFile(output, swapped(await text(), shape.outputHeader !== false, fields));
      assert.equal((await verifying({ ...told, sample: undefined })).agrees, true);
      const { difference } = await verifying(told);
      assert.match(difference?.message ?? '', /predicted now.*, in row 1, at .*in\.csv:2$/);
    });

  slow('finds classes that are swapped from some row on', async t => {
    const { output, scoring, verifying, text } = await bench(t, 3000);
    await scoring();
    const [header, ...lines] = (await text()).trimEnd().split('\n');
    const turned = lines.map((line, index) =>
      index < 2900 ? line : line.replace(/,([\d.e-]+),([\d.e-]+)$/, ',$2,$1'),
    );
    await writeFile(output, `${[header, ...turned].join('\n')}\n`);
    assert.equal((await verifying({ sample: undefined })).agrees, true);
    const { agrees, difference } = await verifying({ sample: 200 });
    assert.equal(agrees, false);
    assert.ok((difference?.row ?? 0) > 2900);
    // The same rows are chosen again.
    assert.deepEqual((await verifying({ sample: 200 })).difference, difference);
  });

  it('leaves out rows that were rejected, and allows a service small differences', async t => {
    const { input, output, verifying } = await bench(t);
    let more = 0;
    let [isBusy, retries] = [false, 0];
    const stub = await startStub(t, {
      report: { classes: ['no', 'yes'] },
      behave({ response, body, defaultResponse }) {
        if (isBusy) {
          isBusy = false;
          send(response, 503, {});
          return true;
        }
        for (const [index, { features }] of body.personas.entries()) {
          const prediction = defaultResponse.predictions[index];
          if (features.plan === 'Basic')
            Object.assign(prediction ?? {}, { error: { code: 'odd', message: 'no' } });
          else if (prediction !== undefined) {
            const { no = 0, yes = 0 } = prediction.probabilities;
            prediction.probabilities = { no: no + more, yes: yes - more };
          }
        }
        return false;
      },
    });
    const scorer = new Client({ url: stub.url, key: stub.key, onRetry: () => void retries++ });
    t.after(() => scorer.close());
    await score({ input, output, report: 'r', scorer });
    const again = { scorer, report: 'r' };
    isBusy = true;
    const first = await verifying(again);
    // The callback of the client is called, because the run has none.
    assert.deepEqual([first.agrees, first.sampled, retries], [true, first.rows.scored, 1]);
    // A service need not be exact.
    more = 0.00005;
    assert.equal((await verifying(again)).agrees, true);
    more = 0.001;
    const { difference } = await verifying(again);
    assert.match(
      difference?.message ?? '',
      /^probability_no is 0\.\d+, but 0\.\d+ is predicted now, in row \d+, /,
    );
  });

  it('is an option of the command, which needs a report', async t => {
    const { folder, home, scoring } = await bench(t);
    await scoring();
    const again = (...args: string[]) => rowcast(['verify', 'in.csv', 'out.csv', ...args], { cwd: folder });
    const seven = again('--sample', '7', '--report', 'one', '--home', home);
    await exits(seven, 0, /; 7 rows predicted again, with the same result$/m);
    await exits(again('--sample', '7'), 2, /no report given; use --report ID with --sample/);
  });
});
