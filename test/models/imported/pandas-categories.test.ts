import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  assignCategories,
  type CategoryCandidate,
  readPandasCategories,
} from '../../../src/models/imported/pandas-categories.ts';

const category = (largest: number): CategoryCandidate => ({ isCategory: true, range: [0, largest] });
const number = (least: number, most: number): CategoryCandidate => ({
  isCategory: false,
  range: [least, most],
});
const unused: CategoryCandidate = { isCategory: false, range: undefined };
const size = ['small', 'medium', 'large'];
const plan = ['basic', 'plus', 'pro', 'max'];
const flag = ['no', 'yes'];

describe('the lists of categories of pandas', () => {
  it('are by position if there are as many as features with categories', () => {
    assert.deepEqual(assignCategories([plan, flag], [number(0, 9), category(3), number(0, 1), category(1)]), [
      undefined,
      plan,
      undefined,
      flag,
    ]);
  });
  it('belong to integers from 0 on if there are more, because ordered categories are numbers', () => {
    assert.deepEqual(assignCategories([size, plan], [number(0, 2), category(3)]), [size, plan]);
    assert.deepEqual(assignCategories([plan, size], [number(0.5, 2), category(3), number(0, 2)]), [
      undefined,
      plan,
      size,
    ]);
  });
  it('are unknown for a category that may have one of two, and for numbers that may have one', () => {
    const unknown = ['unknown', 'unknown', 'unknown'];
    assert.deepEqual(assignCategories([size, size], [number(0, 2), category(2), number(0, 2)]), unknown);
    assert.deepEqual(assignCategories([size, plan], [number(0, 2), number(0, 2), category(3)]), [
      ...['unknown', 'unknown'],
      plan,
    ]);
  });
  it('are certain once a person gives one of them, or MLflow says which columns are texts', () => {
    const two = [number(0, 2), { ...number(0, 2), own: size }, category(3)];
    assert.deepEqual(assignCategories([size, plan], two), [undefined, size, plan]);
    const text = [number(0, 2), { ...number(0, 2), isText: true }, category(3)];
    assert.deepEqual(assignCategories([size, plan], text), [undefined, size, plan]);
    // Without these, the only list would be the category's, by position.
    const given = [category(3), { ...number(0, 3), own: plan }];
    assert.deepEqual(assignCategories([plan], given), [undefined, plan]);
    assert.deepEqual(assignCategories([plan], [category(3), { ...number(0, 3), isText: true }]), [
      undefined,
      plan,
    ]);
  });
  it('may be replaced by one that the file does not have', () => {
    const other = ['a', 'b', 'c', 'd'];
    assert.deepEqual(assignCategories([plan], [{ ...category(3), own: other }, number(0, 9)]), [
      other,
      undefined,
    ]);
  });
  it('are unknown too if the other column lacks the last category, so that it looks like fewer', () => {
    assert.deepEqual(assignCategories([size, size], [number(0, 1), category(2), number(0, 2)])[1], 'unknown');
  });
  it('may belong to constant columns, whose list nobody needs', () => {
    assert.deepEqual(assignCategories([['x'], plan], [unused, category(3)]), [['x'], plan]);
    assert.deepEqual(assignCategories([plan, ['x']], [category(3), unused, unused]), [
      plan,
      undefined,
      undefined,
    ]);
  });
  it('are not given to a feature that has more codes', () => {
    assert.deepEqual(assignCategories([flag], [category(3)]), ['unknown']);
    assert.deepEqual(assignCategories([flag], [category(3), category(1)]), [undefined, flag]);
  });
  it('are none without pandas', () => {
    assert.deepEqual(assignCategories([], [category(3)]), [undefined]);
    assert.deepEqual(readPandasCategories('null'), []);
    assert.deepEqual(readPandasCategories('[]'), []);
  });
  it('are read as Python prints their values', () => {
    assert.deepEqual(
      readPandasCategories(
        '[["a", "\\u00e9\\"]", ""], [10000, -1], [1.0, 1.5, 1e+16, Infinity, -Infinity, 12345678901234567890], [false, true], []]',
      ),
      [
        ['a', 'é"]', ''],
        ['10000', '-1'],
        ['1.0', '1.5', '1e+16', 'inf', '-inf', '12345678901234567890'],
        ['False', 'True'],
        [],
      ],
    );
  });
  it('are refused if they are no lists, or not to be told apart', () => {
    for (const json of ['', '{', '[1]', '[[1,]', '[["a" "b"]]', '[[null]]', '[["\\x"]]', '[[]] 1', '[[[]]]'])
      assert.throws(() => readPandasCategories(json), { code: 'bad_model' }, json);
    assert.throws(() => readPandasCategories('[[1, "1"]]'), { code: 'unsupported_model' });
  });
});
