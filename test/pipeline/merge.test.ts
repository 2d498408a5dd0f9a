import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../../src/api/answer.ts';
import type { LooseReport } from '../../src/api/shapes.ts';
import type { Encoded } from '../../src/pipeline/encode.ts';
import { type Merged, type MergeOptions, Merger } from '../../src/pipeline/merge.ts';
import { type EncodedInput, encodeText } from './encoded.ts';

const BOM = '\ufeff';

/** An answer in which persona n has the probability n / 16 of the first class; those in `failed` have an error. */
function answerTo(
  encoded: Encoded,
  classes: readonly string[] = ['no', 'yes'],
  failed: number[] = [],
): Answer {
  const probabilities = new Float64Array(encoded.personas * classes.length);
  for (let persona = 0; persona < encoded.personas; persona++) {
    probabilities[persona * classes.length] = persona / 16;
    probabilities[persona * classes.length + 1] = 1 - persona / 16;
  }
  const errors = new Map(failed.map(persona => [persona, { code: 'odd', message: `persona ${persona}` }]));
  return { classes: failed.length < encoded.personas ? classes : [], probabilities, errors };
}

function newMerger({ header }: EncodedInput, options: Partial<MergeOptions> = {}): Merger {
  const report: LooseReport = { tech_specs: {}, drivers: [] };
  return new Merger({ header, report, prefix: 'p', prediction: false, ...options });
}

/** All that comes of an input whose every batch gets `answer`. */
function mergeAll(
  input: EncodedInput,
  options: Partial<MergeOptions> = {},
  answer: (encoded: Encoded) => Answer = encoded => answerTo(encoded),
): { text: string; merged: Merged[] } {
  const merger = newMerger(input, options);
  const merged = input.encoded.flatMap(encoded => [
    ...merger.merge({ parsed: encoded, answer: answer(encoded) }),
  ]);
  merged.push(...merger.end());
  return { text: Buffer.concat(merged.map(({ bytes }) => bytes)).toString(), merged };
}

describe('a merged record', () => {
  it('keeps its own bytes, and has what is appended before its line ending', () => {
    const text = `${BOM}"a",b\r\n" 1 ","x\r\n""y"""\r\n2,é\n3, 4 `;
    assert.equal(
      mergeAll(encodeText(text)).text,
      `${BOM}"a",b,p_no,p_yes\r\n" 1 ","x\r\n""y""",0,1\r\n2,é,0.0625,0.9375\n3, 4 ,0.125,0.875`,
    );
  });

  it('ends in a lone CR where records do', () => {
    assert.equal(mergeAll(encodeText('a\r1\r"\n"\r\n')).text, 'a,p_no,p_yes\r1,0,1\r"\n",0.0625,0.9375\r\n');
  });

  it('gets the answer of its own persona, whatever stands between: blank lines, malformed records, halves', () => {
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
    const sum = (count: (merged: Merged) => number, all: Merged[]): number =>
      all.reduce((total, each) => total + count(each), 0);
    const halves = mergeAll(encodeText(text, { batchBytes: () => 1 })).merged;
    assert.ok(halves.length > 4);
    for (const count of [
      ({ scored }: Merged) => scored,
      ({ blank }: Merged) => blank,
      ({ rejects }: Merged) => rejects.length,
    ])
      assert.equal(sum(count, halves), sum(count, merged));
  });

  it('has empty probabilities where the service could not score it, and its neighbours have theirs', () => {
    const input = encodeText('a;b\n1;1\n2;2\n3;3\n', { read: { delimiter: ';' } });
    const { text, merged } = mergeAll(input, { prediction: true }, encoded =>
      answerTo(encoded, ['no', 'yes'], [1]),
    );
    assert.equal(text, 'a;b;p_no;p_yes;predicted_class\n1;1;0;1;yes\n2;2;;;\n3;3;0.125;0.875;yes\n');
    assert.deepEqual(merged.at(-1)?.scored, 2);
    assert.deepEqual(merged.at(-1)?.rejects, [
      { row: 2, line: 3, code: 'odd', reason: 'persona 1', record: Buffer.from('2;2') },
    ]);
  });
});

describe('the header of the output', () => {
  it('has the classes of the definition, else of the report, else of the first answer', () => {
    const input = encodeText('a\n1\n');
    const report: LooseReport = { tech_specs: {}, drivers: [], classes: ['yes', 'no'], predicts: 'left' };
    const header = (options: Partial<MergeOptions>, classes: string[]): string | undefined =>
      mergeAll(input, options, encoded => answerTo(encoded, classes)).text.split('\n')[0];
    assert.equal(header({ report, classes: ['no', 'yes'] }, ['no', 'yes']), 'a,p_no,p_yes');
    assert.equal(header({ report, prediction: true }, ['yes', 'no']), 'a,p_yes,p_no,predicted_left');
    assert.equal(header({}, ['n', 'y']), 'a,p_n,p_y');
  });

  it('is all that an input without rows comes to, if the classes are known', () => {
    assert.equal(mergeAll(encodeText('a,b'), { classes: ['x', 'y'] }).text, 'a,b,p_x,p_y');
    for (const text of ['a,b\n', 'a,b\n\n\n'])
      assert.throws(() => mergeAll(encodeText(text)), { code: 'unknown_classes', hint: /classes:/ });
  });

  it('waits for the first scored row where nothing else tells the classes: blank lines come after it', () => {
    const input = encodeText('a,b\n\n\n1,1\n', { read: { batchRows: 1, batchBytes: 1 } });
    assert.equal(input.encoded.length, 3);
    assert.equal(mergeAll(input).text, 'a,b,p_no,p_yes\n\n\n1,1,0,1\n');
  });

  it('waits with rejects, which are told in their order and once', () => {
    const input = encodeText('a,b\n1,1\n2\n3,3\n', { read: { batchRows: 1 } });
    const merger = newMerger(input);
    const failed = input.encoded.map((encoded, index) =>
      answerTo(encoded, ['no', 'yes'], index === 0 ? [0] : []),
    );
    const told = input.encoded.map((encoded, index) => {
      const answer = failed[index];
      assert.ok(answer);
      return [...merger.merge({ parsed: encoded, answer })].map(
        ({ bytes, rejects }) => `${bytes} ${rejects.map(({ row }) => row)}`,
      );
    });
    assert.deepEqual(told, [[], [], ['a,b,p_no,p_yes\n ', '1,1,,\n 1', ' 2', '3,3,0,1\n ']]);
  });
});

describe('an answer with other classes than the header', () => {
  it('is never merged, also where their names put together are the same', () => {
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
            const answer = answerTo(encoded, classes);
            classes = others;
            return answer;
          }),
        { code: 'wrong_answer', consequence: 'stopped' },
      );
    }
  });

  it('is not one that could score no row at all', () => {
    const input = encodeText('a\n1\n2\n', { read: { batchRows: 1 } });
    const { text } = mergeAll(input, {}, encoded =>
      answerTo(encoded, ['no', 'yes'], encoded.batch.start.row === 2 ? [0] : []),
    );
    assert.equal(text, 'a,p_no,p_yes\n1,0,1\n2,,\n');
  });
});
