import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { legalCsv } from '../../../support/csv/legal.ts';
import { boundariesOf, read } from '../../../support/csv/read.ts';
import { runs } from '../../../support/random-tests.ts';

describe('records and fields', () => {
  it('are those of csv-parse for any quoting, chunks and batches', () => {
    fc.assert(
      fc.property(
        legalCsv(),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 60 }),
        ({ text, delimiter, loneCr }, chunk, batchRows, batchBytes) => {
          const expected: string[][] = parse(text, {
            delimiter,
            record_delimiter: loneCr ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'],
            relax_quotes: true,
          });
          const actual = read(text, { delimiter, chunk, batchRows, batchBytes });
          assert.deepEqual([actual.header, ...actual.rows], expected);
          assert.deepEqual(actual.faults, []);
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it('of two adjacent ranges are those of csv-parse, in the bytes and at the positions of the whole', () => {
    fc.assert(
      fc.property(
        legalCsv(),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.tuple(fc.nat(), fc.nat(), fc.nat()),
        ({ text, delimiter, loneCr }, chunk, batchRows, drawn) => {
          const options = { delimiter, chunk, batchRows };
          const boundaries = boundariesOf(read(text, options));
          const at = (index: number) => boundaries[index % boundaries.length] ?? assert.fail();
          const [a, b, c] = drawn.map(at).sort((one, other) => one.offset - other.offset);
          if (a === undefined || b === undefined || c === undefined) assert.fail();
          const parts = [
            read(text, { ...options, range: { start: a, end: b.offset } }),
            read(text, { ...options, range: { start: b, end: c.offset } }),
          ];
          const bytes = Buffer.concat(parts.flatMap(({ batches }) => batches.map(batch => batch.bytes)));
          assert.deepEqual(bytes, Buffer.from(text).subarray(a.offset, c.offset));
          const positions = parts.flatMap(part => (part.batches.length === 0 ? [] : boundariesOf(part)));
          for (const position of positions)
            assert.deepEqual(
              position,
              boundaries.find(({ offset }) => offset === position.offset),
            );
          const expected: string[][] = parse(bytes, {
            delimiter,
            record_delimiter: loneCr ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'],
            relax_quotes: true,
          });
          assert.deepEqual(
            parts.flatMap(({ rows }) => rows),
            expected,
          );
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it('never lose or change a byte', () => {
    const bytes = fc
      .array(fc.constantFrom(...'ab,"\n\r;é\u0000'), { maxLength: 60 })
      .map(parts => parts.join(''));
    const inputs = runs(3000);
    let compared = 0;
    fc.assert(
      fc.property(
        bytes,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 4 }),
        (body, chunk, batchRows) => {
          let batches: ReturnType<typeof read>['batches'];
          try {
            ({ batches } = read(`a,b\n${body}`, { chunk, batchRows }));
          } catch (error) {
            assert.match(String(error), /quote that opens/);
            return;
          }
          compared++;
          assert.equal(Buffer.concat(batches.map(batch => batch.bytes)).toString(), body);
          let offset = 4;
          for (const batch of batches) {
            assert.equal(batch.start.offset, offset);
            assert.equal(batch.ends.at(-1), batch.bytes.length);
            offset += batch.bytes.length;
          }
        },
      ),
      { numRuns: inputs },
    );
    assert.ok(compared > inputs / 4, `only ${compared} of ${inputs} could be read`);
  });

  it('are the same, malformed or not, for any chunks and batches', () => {
    const parts = fc.constantFrom(...'ab,"\n\r;é', '"a,b"', '"a""b"', ',', '\n', '\n');
    const bytes = fc.array(parts, { maxLength: 60 }).map(all => all.join(''));
    const inputs = runs(3000);
    let couldBeRead = 0;
    fc.assert(
      fc.property(
        bytes,
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 2, max: 1000 }),
        (body, ending, chunk, batchRows) => {
          const outcome = (size: number, rowsOfBatch: number): unknown => {
            try {
              const options = { chunk: size, batchRows: rowsOfBatch };
              const { rows, faults } = read(`a,b${ending}${body}`, options);
              return { rows, faults };
            } catch (error) {
              return String(error);
            }
          };
          const whole = outcome(1 << 20, 1);
          assert.deepEqual(outcome(chunk, batchRows), whole);
          if (typeof whole !== 'string') couldBeRead++;
        },
      ),
      { numRuns: inputs },
    );
    assert.ok(couldBeRead > inputs / 4, `only ${couldBeRead} of ${inputs} could be read`);
  });
});
