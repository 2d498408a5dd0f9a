import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RowcastError } from '../../../src/base/errors.ts';
import { scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { legalCsv } from '../../support/csv/legal.ts';
import { newFolder } from '../../support/folder.ts';
import { runs } from '../../support/random-tests.ts';
import {
  changes,
  changesOf,
  outputMatters,
  rejectMatters,
  SERVICE_ERROR,
} from '../../support/scoring/changed-csv.ts';
import { outcomeOf } from '../../support/scoring/compared.ts';
import { type EncodedInput, encodeText } from '../../support/scoring/encoded.ts';
import { mergeAll } from '../../support/scoring/merge-all.ts';
import { score } from '../../support/scoring/score.ts';
import { connect } from '../../support/stub/connect.ts';

/** Any bytes after a header of two columns: malformed records, blank lines, unclosed quotes. */
const anyBytes = fc
  .record({
    parts: fc.array(fc.constantFrom(...'ab,"\n\r;é', '\n', '1,2\n'), { maxLength: 60 }),
    ending: fc.constantFrom('\n', '\r\n', '\r'),
  })
  .map(({ parts, ending }) => `a,b${ending}${parts.join('')}`);

describe('what score writes', () => {
  it('verifies for any CSV and rejects, but not after any record or byte of either file was changed', async t => {
    const folder = await newFolder(t);
    const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
    const rejects = `${output}.rejects`;
    const classes = ['no', 'a,b', 'é "x"'];
    let isRefused = (_persona: string): boolean => false;
    const { client } = await connect(t, {
      classes,
      behave({ body, defaultResponse }) {
        for (const [index, { features }] of body.personas.entries())
          if (isRefused(JSON.stringify(features)))
            Object.assign(defaultResponse.predictions, { [index]: { error: SERVICE_ERROR } });
        return false;
      },
    });
    const inputs = Math.max(12, runs(40));
    let [verified, withRejects] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          legalCsv(2),
          anyBytes.map(text => ({ text, delimiter: ',' })),
        ),
        fc.boolean(),
        fc.func(fc.boolean()),
        changes,
        async ({ text, delimiter }, prediction, refuses, changes) => {
          isRefused = refuses;
          await writeFile(input, text);
          const how = { delimiter, prediction, classes, restart: true };
          try {
            const maxRejects = { percent: 100 };
            await score({ ...scoreDefaults, ...how, input, output, report: 'r', maxRejects }, client);
          } catch (error) {
            assert.ok(error instanceof RowcastError && error.code === 'unclosed_quote', String(error));
            return;
          }
          verified++;
          const scored = await readFile(output);
          const rejected = await readFile(rejects).catch(() => undefined);
          const files = { input, output, rejects: rejected && rejects };
          await verifyOutput({ ...files, delimiter, maxRecordBytes: scoreDefaults.maxRecordBytes });
          for (const { changed, what } of changesOf(
            scored,
            outputMatters(text, scored, { delimiter }),
            { delimiter },
            changes,
          ))
            assert.notEqual(outcomeOf(text, changed, { delimiter, rejects: rejected }), 'equal', what);
          if (rejected === undefined) return;
          withRejects++;
          for (const { changed, what } of changesOf(
            rejected,
            rejectMatters(rejected, { delimiter }),
            { delimiter },
            changes,
          ))
            assert.notEqual(outcomeOf(text, scored, { delimiter, rejects: changed }), 'equal', what);
        },
      ),
      { numRuns: inputs },
    );
    assert.ok(verified > inputs / 4, `only ${verified} of ${inputs} were verified`);
    assert.ok(withRejects > 0, 'no run had rejects');
  });

  it('verifies wherever batches end, whether or not rows are held until the classes are known', () => {
    const inputs = runs(400);
    let verified = 0;
    fc.assert(
      fc.property(
        anyBytes,
        fc.func(fc.boolean()),
        fc.boolean(),
        changes,
        (text, fails, areClassesKnown, changes) => {
          let encoded: EncodedInput;
          try {
            encoded = encodeText(text, { read: { batchRows: 3 } });
          } catch (error) {
            assert.match(String(error), /quote that opens/);
            return;
          }
          const { layout } = encoded;
          const merged = mergeAll(encoded, fails, areClassesKnown);
          // Without a scored row, nothing tells the classes.
          if (merged === undefined) return;
          verified++;
          const output = Buffer.concat(merged.map(({ bytes }) => bytes));
          const all = merged.flatMap(({ rejects }) => rejects);
          const rejects = Buffer.concat([layout.rejectsPreamble, layout.rejectsText(all, false)]);
          assert.equal(outcomeOf(text, output, { rejects }), 'equal');
          assert.equal(outcomeOf(text, output), 'equal');
          for (const { changed, what } of changesOf(output, outputMatters(text, output, {}), {}, changes))
            assert.notEqual(outcomeOf(text, changed, { rejects }), 'equal', what);
          for (const { changed, what } of changesOf(rejects, rejectMatters(rejects, {}), {}, changes))
            assert.notEqual(outcomeOf(text, output, { rejects: changed }), 'equal', what);
        },
      ),
      { numRuns: inputs },
    );
    assert.ok(verified > inputs / 10, `only ${verified} of ${inputs} were verified`);
  });
});
