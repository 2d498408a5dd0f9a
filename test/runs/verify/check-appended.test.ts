import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sumsToOne } from '../../../src/base/contract/predictions.ts';
import type { Dialect } from '../../../src/base/parse-records.ts';
import { writeRow } from '../../../src/base/write-row.ts';
import type { ChosenProbabilities } from '../../../src/formats/appended.ts';
import { appendedNames } from '../../../src/formats/appended-names.ts';
import { wordView } from '../../../src/formats/bytes/word-view.ts';
import { appendedColumns } from '../../../src/formats/csv/appended-columns.ts';
import { readHeader } from '../../../src/formats/csv/header.ts';
import { type AppendedOutcome, appendedCheck } from '../../../src/runs/verify/check-appended.ts';
import { runs } from '../../support/random-tests.ts';

const dialect: Dialect = { delimiter: ',', quote: '"', loneCr: false };
const classes = ['no', 'yes', 'a,b'];

/** What the options of a run append, and a new check of it. */
function appendedBy(chosen: ChosenProbabilities, prediction: string | undefined, hasHeader: boolean) {
  const header = readHeader(Buffer.from('id\n'), true, { dialect, file: 'in.csv', maxRecordBytes: 100 });
  assert.ok(header !== undefined);
  const predictionType = { kind: 'distribution', classes } as const;
  const options = { predictionType, prefix: 'p', prediction, chosen };
  const { writer, maxBytes } = appendedColumns(header, options);
  const names = appendedNames(options, undefined);
  const shape = { ...chosen, isAfterOthers: true };
  const checking = () => {
    const check = appendedCheck(hasHeader ? names : names.length, dialect, shape);
    assert.ok(check !== undefined);
    return (text: string): AppendedOutcome =>
      check.check({ bytes: Buffer.from(text), start: 0, contentEnd: Buffer.byteLength(text) });
  };
  const textOf = (probabilities: readonly number[]): string => {
    const into = wordView(Buffer.alloc(maxBytes));
    const values = Float64Array.from(probabilities);
    const write = writer({ ...predictionType, probabilities: values, errors: new Map() });
    return into.bytes.toString('utf8', 0, write(0, into, 0));
  };
  return { textOf, checking, width: names.length };
}

const probabilities = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 99 }))
  .map(([a, b]) => [a / 200, b / 200, 1 - a / 200 - b / 200]);
const optionsOfRun = fc.constantFrom<ChosenProbabilities[]>(
  {},
  { threshold: { yes: 0.3 } },
  { probabilities: ['yes'] },
  { probabilities: ['a,b', 'no'], threshold: { no: 0.4, yes: 0.2 } },
  { probabilities: 'none' },
  { decimals: 2 },
  { decimals: 1, threshold: { yes: 0.33, no: 0.25 } },
);

describe('the check of appended fields', () => {
  it('accepts what a run writes, and nothing that a run cannot write', () => {
    const inputs = runs(2000);
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(probabilities, { minLength: 2, maxLength: 10 }),
        optionsOfRun,
        fc.boolean(),
        fc.boolean(),
        fc.array(
          fc.tuple(fc.nat(), fc.constantFrom('', ',', '"', '0', '1', '.', 'x', 'no', ',1,extra'), fc.nat(2)),
        ),
        (rows, chosen, isPredicted, hasHeader, changes) => {
          const needsPrediction = chosen.threshold !== undefined || chosen.probabilities === 'none';
          const prediction = isPredicted || needsPrediction ? 'outcome' : undefined;
          const { textOf, checking, width } = appendedBy(chosen, prediction, hasHeader);
          const texts = rows.map(textOf);
          const check = checking();
          for (const text of texts) assert.equal(check(text), 'scored', text);

          const [first = '', second = ''] = texts;
          const joined = [
            `${first}2,b${second}`,
            `${first}${second}`,
            `${first},`,
            `${first},1,extra,columns`,
          ];
          const changed = changes.map(([at, by, length]) => {
            const place = at % (first.length + 1);
            return first.slice(0, place) + by + first.slice(place + length);
          });
          for (const text of [...joined, ...changed]) {
            const written = { isPredicted: prediction !== undefined, hasHeader, width, textOf };
            const isValid = isWritable(text, chosen, written);
            const outcome = checking()(text);
            if (isValid === undefined) continue;
            // Without names, the last field may also be taken for a prediction, or a prediction for a probability.
            const other = { ...written, isPredicted: !written.isPredicted };
            if (!hasHeader && !isValid && isWritable(text, chosen, other) !== false) continue;
            assert.equal(outcome === 'scored', isValid, `${text} instead of ${first}`);
            if (isValid) accepted++;
            else refused++;
          }
        },
      ),
      { numRuns: inputs },
    );
    assert.ok(accepted > inputs / 20, `only ${accepted} changed texts of ${inputs} inputs could be written`);
    assert.ok(refused > inputs, `only ${refused} changed texts of ${inputs} inputs were refused`);
  });

  it('knows the class of each column without a header too, once it was predicted', () => {
    const { checking } = appendedBy({}, 'outcome', false);
    const check = checking();
    assert.equal(check(',0.6,0.2,0.2,no'), 'scored');
    assert.equal(check(',0.2,0.6,0.2,yes'), 'scored');
    assert.deepEqual(check(',0.7,0.2,0.1,yes'), { wrong: 'appended field 4 is not the most likely class' });
    assert.deepEqual(check(',0.1,0.2,0.7,no'), { wrong: 'appended field 4 is not the most likely class' });
  });

  it('takes a class of the list as predicted only if no other one of it is more likely', () => {
    const { checking } = appendedBy({ probabilities: ['yes', 'no'] }, 'outcome', true);
    assert.equal(checking()(',0.4,0.4,no'), 'scored');
    assert.equal(checking()(',0.3,0.2,"a,b"'), 'scored');
    assert.deepEqual(checking()(',0.4,0.3,no'), {
      wrong: 'predicted_outcome is not a class that can be the most likely one',
    });
    const withThreshold = appendedBy({ probabilities: ['yes'], threshold: { yes: 0.3 } }, 'outcome', true);
    assert.equal(withThreshold.checking()(',0.3,yes'), 'scored');
    assert.deepEqual(withThreshold.checking()(',0.3,no'), {
      wrong: 'predicted_outcome is not the class that the thresholds predict',
    });
    assert.deepEqual(withThreshold.checking()(',0.2,yes'), {
      wrong: 'predicted_outcome is not the class that the thresholds predict',
    });
    // With a threshold for the other class too, either may be the most likely one below its threshold.
    const thresholds = { yes: 0.3, no: 0.9 };
    const withBoth = appendedBy({ probabilities: ['yes'], threshold: thresholds }, 'outcome', true);
    assert.equal(withBoth.checking()(',0.2,yes'), 'scored');
  });
});

describe('the names of appended columns', () => {
  const isPossible = (names: readonly string[], chosen: ChosenProbabilities): boolean =>
    appendedCheck(names, dialect, { ...chosen, isAfterOthers: true }) !== undefined;

  it('are those of the options', () => {
    assert.ok(isPossible(['p_yes', 'p_no', 'predicted_x'], { probabilities: ['yes', 'no'] }));
    assert.ok(isPossible(['predicted_x'], { probabilities: 'none' }));
    for (const [names, chosen] of [
      [['p_yes'], { probabilities: ['yes', 'no'] }],
      [['p_no', 'p_yes'], { probabilities: ['yes', 'no'] }],
      [['p_yes', 'q_no'], { probabilities: ['yes', 'no'] }],
      [['p_yes', 'p_no', 'p_other', 'predicted_x'], { probabilities: ['yes', 'no'] }],
      [['p_yes', 'predicted_x'], { probabilities: 'none' }],
      [['p_yes', 'p_no'], { threshold: { yes: 0.5 } }],
    ] as const)
      assert.ok(!isPossible(names, chosen), names.join());
  });
});

interface Written {
  isPredicted: boolean;
  hasHeader: boolean;
  /** Number of the appended columns. */
  width: number;
  textOf: (probabilities: readonly number[]) => string;
}

/** Whether a run can have written these fields; undefined if that is not certain. */
function isWritable(
  text: string,
  { probabilities: shown = 'all', decimals }: ChosenProbabilities,
  { isPredicted, hasHeader, width, textOf }: Written,
): boolean | undefined {
  const count = width - (isPredicted ? 1 : 0);
  const [empty = '', ...parts] = text.split(',');
  if (empty !== '' || parts.length < width) return false;
  const numbers = parts.slice(0, count);
  const predicted = parts.slice(count).join(',');
  const isNumber = (field: string): boolean => {
    const number = Number(field);
    const written = decimals === undefined ? String(number) : number.toFixed(decimals);
    return field === written && number >= 0 && number <= 1;
  };
  if (!numbers.every(isNumber)) return false;
  if (!isPredicted && predicted !== '') return false;
  if (!isPredicted && parts.length !== count) return false;
  const name = /^"(.*)"$/s.exec(predicted)?.[1]?.replaceAll('""', '"') ?? predicted;
  const isField = name !== '' && writeRow([name], dialect) === `${predicted}\n`;
  if (isPredicted && !isField) return false;
  if (shown !== 'all' || decimals !== undefined) return undefined;
  const values = numbers.map(Number);
  if (
    !sumsToOne(
      values.reduce((sum, value) => sum + value, 0),
      count,
    )
  )
    return false;
  // Without names, what is predicted is only known from other rows.
  const isSame = textOf(values) === text;
  return hasHeader || isSame ? isSame : undefined;
}
