import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseRecords } from '../../../src/base/parse-records.ts';
import { runs } from '../../support/random-tests.ts';
import { outcomeOf } from '../../support/scoring/compared.ts';
import { encodeText } from '../../support/scoring/encoded.ts';
import { mergeAll, mergeRest, respond } from '../../support/scoring/merge-all.ts';

/** A file whose first record ends in a lone CR, with malformed records and blank lines. */
const loneCrText = fc
  .array(fc.constantFrom('1,2\r', 'x\n', 'x\r', '\n', '\r', '3,4\n', '5,6\r\n', '\r\n'), { maxLength: 24 })
  .map(parts => `a,b\r${parts.join('')}`);

describe('a file with lone CRs', () => {
  it('keeps its blank lines after malformed records that are left out, as parsed by csv-parse', () => {
    const inputs = runs(500);
    let checked = 0;
    fc.assert(
      fc.property(loneCrText, fc.func(fc.boolean()), fc.boolean(), (text, fails, isTold) => {
        const input = encodeText(text, { read: { batchRows: 3 } });
        const merged = mergeAll(input, fails, isTold);
        // Without a scored row, nothing tells the classes.
        if (merged === undefined) return;
        checked++;
        const output = Buffer.concat(merged.map(({ bytes }) => bytes)).toString();
        const isInOutput = (fields: string[]): boolean => fields.length === 2 || fields.join() === '';
        const dialect = { delimiter: ',', quote: '"', loneCr: input.layout.readAs.loneCr === true };
        const expected = parseRecords(text, dialect).filter(isInOutput);
        const found = parseRecords(output, dialect).map(fields => fields.slice(0, 2));
        assert.deepEqual(found, expected);
        assert.equal(outcomeOf(text, output, { batchRows: 1 }), 'equal');
      }),
      { numRuns: inputs },
    );
    assert.ok(checked > inputs / 4, `only ${checked} of ${inputs} were checked`);
  });

  it('gives the same bytes after resuming at any commit point', () => {
    const inputs = runs(500);
    let resumed = 0;
    fc.assert(
      fc.property(loneCrText, fc.func(fc.boolean()), (text, fails) => {
        const input = encodeText(text, { read: { batchRows: 3 } });
        const merged = mergeAll(input, fails, true) ?? [];
        for (const [index, { isCommitPoint, endsBatch, input: read }] of merged.entries()) {
          if (!isCommitPoint || !endsBatch) continue;
          resumed++;
          const batches = merged.slice(0, index + 1).filter(piece => piece.endsBatch).length;
          const rest = mergeRest(input, respond(input, fails).slice(batches), read.at(-1));
          assert.deepEqual(rest, Buffer.concat(merged.slice(index + 1).map(({ bytes }) => bytes)));
        }
      }),
      { numRuns: inputs },
    );
    assert.ok(resumed > inputs / 4, `only ${resumed} commit points of ${inputs} inputs were resumed at`);
  });

  it('has a CR before a blank line that would otherwise join the line before the malformed record', () => {
    const input = encodeText('a,b\rx\n\n1,2\rx\n\n');
    const output = (mergeAll(input, () => false, true) ?? []).map(({ bytes }) => bytes.toString()).join('');
    assert.equal(output, 'a,b,p_no,p_yes,predicted_x\r\r\n1,2,0.1,0.9,yes\r\r\n');
    assert.equal(outcomeOf('a,b\rx\n\n1,2\rx\n\n', output), 'equal');
    assert.match(
      outcomeOf('a,b\rx\n\n1,2\rx\n\n', output.replace('yes\r\r', 'yes\r')),
      /^out\.csv:3: the line ending differs from that of row 2/,
    );
  });
});
