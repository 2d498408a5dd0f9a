import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AppendedOutcome, appendedCheck } from '../../../src/runs/verify/check-appended.ts';

const dialect = { delimiter: ',', quote: '"', loneCr: false };

const checking = (
  kind: 'label' | 'numbers' | undefined,
  names: readonly string[] | number,
  isAfterOthers = true,
): ((text: string) => AppendedOutcome) | undefined => {
  const check = appendedCheck(names, dialect, { isAfterOthers, kind });
  return check && (text => check.check(fieldsIn(text)));
};

const fieldsIn = (text: string) => ({
  bytes: Buffer.from(text),
  start: 0,
  contentEnd: Buffer.byteLength(text),
});

const isWrong = (outcome: AppendedOutcome | undefined): boolean => typeof outcome === 'object';

describe('the check of labels', () => {
  it('refuses a number, a list or nothing in the place of a text, and bytes that are not UTF-8', () => {
    const labels = appendedCheck(['predicted_plan'], dialect, { isAfterOthers: true, kind: 'label' });
    assert.equal(labels?.check({ ...fieldsIn(',yes'), areTexts: [true] }), 'scored');
    for (const areTexts of [[false], []])
      assert.ok(isWrong(labels?.check({ ...fieldsIn(',yes'), areTexts })), String(areTexts));
    // An empty text is not null.
    assert.ok(isWrong(labels?.check({ ...fieldsIn(','), areTexts: [true] })));
    assert.equal(labels?.check({ ...fieldsIn(','), areTexts: [false] }), 'unscored');
    assert.ok(isWrong(labels?.check({ bytes: Buffer.from(',\xdc', 'latin1'), start: 0, contentEnd: 2 })));
  });

  it('accepts any text that is one field, as rowcast writes it', () => {
    const check = checking('label', ['predicted_plan']);
    for (const text of [',a', ',"a,b"', ',"say ""x"""', ',"two\nlines"', ',0.5', ', ', ',ü'])
      assert.equal(check?.(text), 'scored', text);
    assert.equal(check?.(','), 'unscored');
    for (const text of [',a,b', ',"a"', ',""', ',a"b', ',"a,b', ',two\nlines'])
      assert.ok(isWrong(check?.(text)), text);
  });

  it('needs one column that is named as a prediction is', () => {
    for (const names of [['p_no', 'p_yes'], ['p_no'], ['predictions'], ['predicted_a', 'predicted_b'], [], 2])
      assert.equal(checking('label', names), undefined);
    for (const names of [['prediction'], ['predicted_'], 1]) assert.ok(checking('label', names));
  });
});

describe('the check of numbers', () => {
  it('accepts finite numbers as rowcast writes them', () => {
    for (const names of [['p_a', 'p_b'], 2]) {
      const check = checking('numbers', names);
      for (const text of [',1,-2.5', ',0,1e+21', ',5e-324,17']) assert.equal(check?.(text), 'scored', text);
      assert.equal(check?.(',,'), 'unscored');
      for (const text of [
        ',1,NaN',
        ',1,Infinity',
        ',1,',
        ',1,x',
        ',1',
        ',1,2,3',
        ',1.0,2',
        ',01,2',
        ',-0,1',
        ',1, 2',
        ',"1",2',
      ])
        assert.ok(isWrong(check?.(text)), text);
    }
  });

  it('says which number is wrong', () => {
    assert.deepEqual(checking('numbers', ['p_a', 'p_b'])?.(',1,NaN'), {
      wrong: 'p_b is "NaN", not a finite number as rowcast writes it',
    });
  });

  it('needs one column of a prediction, or names with the same prefix', () => {
    for (const names of [['prediction'], ['predicted_x'], ['p_a'], ['a_b_c', 'a_d'], 1, 2])
      assert.ok(checking('numbers', names), String(names));
    for (const names of [['a', 'b'], ['p_a', 'q_b'], [], 0])
      assert.equal(checking('numbers', names), undefined, String(names));
  });
});

describe('the check of one predicted column whose kind nothing tells', () => {
  const check = (names: readonly string[] | number = ['predicted_plan']) => checking(undefined, names);

  it('takes it for numbers or labels by the first row that is scored', () => {
    const labels = check();
    const texts = [',', ',yes', ',1', ','];
    assert.deepEqual(
      texts.map(text => labels?.(text)),
      ['unscored', 'scored', 'scored', 'unscored'],
    );
    const numbers = check(1);
    for (const text of [',1', ',-2.5']) assert.equal(numbers?.(text), 'scored');
    for (const text of [',yes', ',NaN', ',1.0']) {
      const outcome = numbers?.(text);
      assert.ok(typeof outcome === 'object');
      assert.match(outcome.hint ?? '', /give --kind label\b/);
    }
  });

  it('is that of probabilities for any other columns', () => {
    const shape = { isAfterOthers: true };
    assert.ok(isWrong(check(['p_a', 'p_b'])?.(',3,5')));
    assert.equal(check(['predicted_a', 'predicted_b'])?.(',0.25,0.75'), 'scored');
    const ofOneClass = appendedCheck(['predicted_yes'], dialect, { ...shape, prefix: 'predicted' });
    assert.ok(isWrong(ofOneClass?.check(fieldsIn(',0.5'))));
    const ofClass = appendedCheck(['predicted_plan'], dialect, { ...shape, probabilities: 'none' });
    assert.equal(ofClass?.check(fieldsIn(',yes')), 'scored');
  });
});
