import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LooseReport } from '../../../src/base/contract/schemas.ts';
import type { Encoded } from '../../../src/client/bodies/encode.ts';
import { noPredictions } from '../../../src/scoring/batch/join-predictions.ts';
import type { MergeOptions } from '../../../src/scoring/merge/appended-for.ts';
import { Merger, rejectsOf } from '../../../src/scoring/merge/merge.ts';
import type { MergedPiece } from '../../../src/scoring/merge/merged-piece.ts';
import type { ReceivedPredictions } from '../../../src/scoring/predictions.ts';
import type { ReadOptions } from '../../support/csv/read.ts';
import { type EncodedInput, encodeText } from '../../support/scoring/encoded.ts';
import { slow } from '../../support/slow.ts';

/** A response in which persona n has the probability n / 16 for the first class; those in `failed` have an error. */
function responseTo(
  encoded: Encoded,
  classes: readonly string[] = ['no', 'yes'],
  failed: number[] = [],
): ReceivedPredictions {
  const probabilities = new Float64Array(encoded.personas * classes.length);
  for (let persona = 0; persona < encoded.personas; persona++) {
    probabilities[persona * classes.length] = persona / 16;
    probabilities[persona * classes.length + 1] = 1 - persona / 16;
  }
  const errors = new Map(failed.map(persona => [persona, { code: 'odd', message: `persona ${persona}` }]));
  return {
    kind: 'distribution',
    classes: failed.length < encoded.personas ? classes : [],
    probabilities,
    errors,
  };
}

function newMerger({ layout }: EncodedInput, options: Partial<MergeOptions> = {}): Merger {
  const report: LooseReport = { tech_specs: {}, drivers: [] };
  return new Merger({ layout, report, prefix: 'p', prediction: false, ...options });
}

/** Merges an input whose batches get their responses from `respond`. */
function mergeAll(
  input: EncodedInput,
  options: Partial<MergeOptions> = {},
  respond: (encoded: Encoded) => ReceivedPredictions = encoded => responseTo(encoded),
): { text: string; merged: MergedPiece[] } {
  const merger = newMerger(input, options);
  const merged = input.encoded.flatMap(encoded => [
    ...merger.merge({ ...encoded, predictions: respond(encoded) }),
  ]);
  merged.push(...merger.end());
  return { text: Buffer.concat(merged.map(({ bytes }) => bytes)).toString(), merged };
}

describe('a merged record', () => {
  it('gets the prediction of its own persona despite blank lines, malformed records and halving', () => {
    const text = 'a,b\n\n1,1\n"x"y\n\r\n2,"2"\n3\n4,4\n\n5,5\n';
    const expected =
      'a,b,p_no,p_yes\n\n1,1,0,1\n\r\n2,"2",0.0625,0.9375\n4,4,0.125,0.875\n\n5,5,0.1875,0.8125\n';
    const { text: whole, merged } = mergeAll(encodeText(text));
    assert.equal(whole, expected);
    assert.deepEqual(
      merged.map(({ scored, blank, rejects }) => [scored, blank, rejects.length]),
      [
        [0, 0, 0],
        [4, 3, 2],
      ],
    );
    const sum = (count: (merged: MergedPiece) => number, all: MergedPiece[]): number =>
      all.reduce((total, each) => total + count(each), 0);
    const halves = mergeAll(encodeText(text, { batchBytes: 1 })).merged;
    assert.ok(halves.length > 4);
    for (const count of [
      ({ scored }: MergedPiece) => scored,
      ({ blank }: MergedPiece) => blank,
      ({ rejects }: MergedPiece) => rejects.length,
    ])
      assert.equal(sum(count, halves), sum(count, merged));
  });

  it('has empty probabilities if the service could not score it, while its neighbours have theirs', () => {
    const input = encodeText('a;b\n1;1\n2;2\n3;3\n', { read: { delimiter: ';' } });
    const { text, merged } = mergeAll(input, { prediction: true }, encoded =>
      responseTo(encoded, ['no', 'yes'], [1]),
    );
    assert.equal(text, 'a;b;p_no;p_yes;predicted_class\n1;1;0;1;yes\n2;2;;;\n3;3;0.125;0.875;yes\n');
    assert.deepEqual(merged.at(-1)?.scored, 2);
    assert.deepEqual(merged.at(-1)?.rejects, [
      { row: 2, line: 3, code: 'odd', reason: 'persona 1', record: Buffer.from('2;2') },
    ]);
  });
});

describe('the header of the output', () => {
  it('waits for the first scored row if the classes are unknown, before any blank lines', () => {
    const input = encodeText('a,b\n\n\n1,1\n', { read: { batchRows: 1, batchBytes: 1 } });
    assert.equal(input.encoded.length, 3);
    assert.equal(mergeAll(input).text, 'a,b,p_no,p_yes\n\n\n1,1,0,1\n');
  });

  it('waits for the classes together with rows that the service rejected, while rejects are written', () => {
    const input = encodeText('a,b\n1,1\n2\n3,3\n', { read: { batchRows: 1 } });
    const merger = newMerger(input);
    const merged = input.encoded.map((encoded, index) => {
      const predictions = responseTo(encoded, ['no', 'yes'], index === 0 ? [0] : []);
      return [...merger.merge({ ...encoded, predictions })].map(
        ({ bytes, rejects, isCommitPoint }) =>
          `${bytes} ${rejects.map(({ row }) => row)}${isCommitPoint ? ' commit' : ''}`,
      );
    });
    assert.deepEqual(merged, [[' 1'], [' 2'], ['a,b,p_no,p_yes\n ', '1,1,,\n ', '3,3,0,1\n  commit']]);
  });

  it('may come after any number of batches without a scored row', () => {
    const bad = Array.from({ length: 300 }, (_, row) => `${row}${row % 3 === 0 ? ',0' : ''}\n`).join('');
    const input = encodeText(`a,b\n${bad}1,1\n`, { read: { batchRows: 1 } });
    assert.equal(input.encoded.length, 301);
    const { text } = mergeAll(input, {}, encoded =>
      responseTo(encoded, ['no', 'yes'], encoded.batch.start.row <= 300 ? [0] : []),
    );
    const rows = Array.from({ length: 100 }, (_, row) => `${3 * row},0,,\n`).join('');
    assert.equal(text, `a,b,p_no,p_yes\n${rows}1,1,0,1\n`);
  });

  it('waits for a bounded number of bytes', () => {
    const [encoded] = encodeText(`a,b\n${'x'.repeat(1_000_000)},1\n`).encoded;
    assert.ok(encoded);
    const merger = newMerger(encodeText('a,b\n'));
    const scored = { ...encoded, predictions: responseTo(encoded, ['no', 'yes'], [0]) };
    assert.throws(
      () => {
        for (let batch = 0; batch < 34; batch++) Array.from(merger.merge(scored));
      },
      { code: 'unknown_classes' },
    );
  });
});

/** The first field of each record, by gzip member; none is empty. */
function membersOf(merged: readonly MergedPiece[]): string[][] {
  const members = [''];
  for (const { bytes, endsMember } of merged) {
    members.push(members.pop() + bytes.toString());
    if (endsMember && members.at(-1) !== '') members.push('');
  }
  return members.map(text =>
    text
      .split('\n')
      .slice(0, -1)
      .map(record => record.split(',')[0] ?? ''),
  );
}

describe('the parts of the output', () => {
  /** The first field of each record, by gzip member, and the ends of the parts after which a run may resume. */
  function partsOf(
    text: string,
    { classes = ['no', 'yes'], ...read }: ReadOptions & { classes?: readonly string[] } = {},
  ): { members: string[][]; commits: number[] } {
    const input = encodeText(text, { read: { chunk: MIB, ...read } });
    const { merged } = mergeAll(input, { classes }, encoded => responseTo(encoded, classes));
    const members = membersOf(merged);
    const commits = merged.filter(part => part.isCommitPoint).map(({ end }) => end.offset);
    return { members, commits };
  }
  const MIB = 1 << 20;
  const ROWS = 700;
  const rowOf = (row: number): string =>
    `${row},${'x'.repeat(4000 + (row % 1000))}${row % 7 === 0 ? ',' : ''}\n`;
  const text = `a,b\n${Array.from({ length: ROWS }, (_, row) => rowOf(row)).join('')}`;

  slow('end at the first record end at or after each MiB of the input, whatever the batches', () => {
    const expected = partsOf(text, { batchRows: 1 }).members;
    for (const batchRows of [7, 100, 1000])
      assert.deepEqual(partsOf(text, { batchRows, batchBytes: MIB }).members, expected);
    let offset = text.indexOf('\n') + 1;
    const firstRows: number[] = [];
    for (let row = 0; row < ROWS; row++) {
      if (offset >= firstRows.length * MIB && row % 7 !== 0) firstRows.push(row);
      offset += rowOf(row).length;
    }
    assert.deepEqual(
      expected.slice(1).map(([first]) => Number(first)),
      firstRows.slice(1),
    );
  });

  it('end sooner if many bytes are appended to a row', () => {
    const classes = Array.from({ length: 900 }, (_, index) => `c${index}`);
    const short = `a\n${Array.from({ length: 100 }, (_, row) => `${row}\n`).join('')}`;
    const expected = partsOf(short, { classes, batchRows: 1 }).members;
    assert.deepEqual(
      expected.map(member => member.length),
      [47, 46, 8],
    );
    assert.deepEqual(partsOf(short, { classes, batchRows: 64 }).members, expected);
  });

  it('are the same if the classes are learned late', () => {
    const expected = partsOf(text, { batchRows: 50, batchBytes: MIB }).members;
    const input = encodeText(text, { read: { chunk: MIB, batchRows: 50, batchBytes: MIB } });
    const { merged } = mergeAll(input, {}, encoded => {
      const failed = Array.from({ length: encoded.personas }, (_, persona) => persona);
      return responseTo(encoded, ['no', 'yes'], encoded.batch.end.row < ROWS ? failed : []);
    });
    assert.deepEqual(membersOf(merged), expected);
  });

  it('can be resumed after, except for a last record without a line feed', () => {
    assert.deepEqual(partsOf('a,b\n1,1\n2,2\n').commits, [12]);
    assert.deepEqual(partsOf('a,b\n1,1\n2,2').commits, [8]);
    assert.deepEqual(partsOf('a,b\n1,1\n2').commits, [8]);
    assert.deepEqual(partsOf('a,b\n1,1').commits, []);
    assert.deepEqual(partsOf('a,b').commits, []);
    assert.deepEqual(partsOf('a\r1\r2\r').commits, [4]);
    assert.deepEqual(partsOf('a\r1\r2\r\n').commits, [7]);
  });

  it('cannot be resumed after a rejected record that may take the line ending of the next one with it', () => {
    const perRow = { batchRows: 1 };
    assert.deepEqual(partsOf('a,b\r1,1\r2\r3,3\r4,4\r', perRow).commits, [8, 14]);
    assert.deepEqual(partsOf('a,b\n1,1\n2\n3,3\n4,4\n', perRow).commits, [8, 10, 14, 18]);
  });
});

describe('a response with different classes than the header', () => {
  it('is never merged, even if the concatenated names are equal', () => {
    for (const [known, others] of [
      [
        ['no', 'yes'],
        ['No', 'yes'],
      ],
      [
        ['no', 'yes'],
        ['yes', 'no'],
      ],
      [
        ['a\nb', 'c'],
        ['a', 'b\nc'],
      ],
    ] as const) {
      const input = encodeText('a\n1\n2\n', { read: { batchRows: 1 } });
      let classes: readonly string[] = known;
      assert.throws(
        () =>
          mergeAll(input, {}, encoded => {
            const predictions = responseTo(encoded, classes);
            classes = others;
            return predictions;
          }),
        { code: 'wrong_answer', severity: 'stopped' },
      );
    }
  });

  it('does not include one without any scored row', () => {
    const input = encodeText('a\n1\n2\n', { read: { batchRows: 1 } });
    const { text } = mergeAll(input, {}, encoded =>
      responseTo(encoded, ['no', 'yes'], encoded.batch.start.row === 2 ? [0] : []),
    );
    assert.equal(text, 'a,p_no,p_yes\n1,0,1\n2,,\n');
  });
});

describe('the rejects of a batch', () => {
  it('are its malformed records and the personas that the service could not score, each with row and line', () => {
    const rows = ['1,1', '"2\n2","2"', '', '3', '4,4', '"5"x,5', '', '6,6,"6"', '7,7', '"8\n",8'];
    for (const ending of ['\n', '\r\n', '\r']) {
      const text = ['a,b', ...rows, ''].join('\n').replaceAll('\n', ending);
      const { encoded, layout } = encodeText(text);
      const [batch] = encoded;
      assert.ok(batch);
      assert.equal(batch.personas, 5); // rows 1, 2, 4, 7 and 8
      const errors = new Map([
        [1, { code: 'odd', message: 'row 2' }],
        [4, { code: 'odd', message: 'row 8' }],
      ]);
      const predictions = {
        kind: 'distribution',
        classes: ['x'],
        probabilities: new Float64Array(5),
        errors,
      } as const;
      assert.deepEqual(
        rejectsOf({ ...batch, predictions }, layout).map(({ row, line, code }) => [row, line, code]),
        [
          [2, 3, 'odd'],
          [3, 6, 'too_few_fields'],
          [5, 8, 'bad_quoting'],
          [6, 10, 'too_many_fields'],
          [8, 12, 'odd'],
        ],
      );
    }
  });

  slow('are collected fast enough not to delay in-flight requests, even of a whole batch', () => {
    const { encoded, layout } = encodeText(`a,b\n${`${'x'.repeat(900)}\n`.repeat(5000)}`, {
      read: { batchRows: 5000, batchBytes: 32 << 20 },
    });
    const [batch] = encoded;
    assert.ok(batch);
    const predictions = noPredictions;
    const begun = performance.now();
    const rejects = rejectsOf({ ...batch, predictions }, layout);
    // A thousand times as long as needed, but less than recounting the lines for each reject would take.
    assert.ok(performance.now() - begun < 15_000);
    assert.deepEqual([rejects.length, rejects.at(-1)?.line], [5000, 5001]);
  });

  it('can be written in a dialect without quotes, whatever the delimiter and the reason', () => {
    for (const [delimiter, expected] of [
      [' ', '1 2 odd no_such_plan;_sorry 1 2\n'],
      [';', '1;2;odd;no such plan  sorry;1 2\n'],
    ] as const) {
      const { layout } = encodeText(`a${delimiter}b\n`, { read: { delimiter, quote: 'none' } });
      const reject = {
        row: 1,
        line: 2,
        code: 'odd',
        reason: 'no such\nplan; sorry',
        record: Buffer.from('1 2'),
      };
      assert.equal(layout.rejectsText([reject], false).toString(), expected);
    }
  });
});
