import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isPointer,
  pathOfPointer,
  valueAt,
} from '../../../../src/client/protocols/described/json-pointer.ts';

describe('a JSON Pointer', () => {
  // RFC 6901 section 5.
  const document = {
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'e^f': 3,
    'g|h': 4,
    'i\\j': 5,
    'k"l': 6,
    ' ': 7,
    'm~n': 8,
  };
  const values: [pointer: string, value: unknown][] = [
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ];

  it('leads to the values of the examples in its specification', () => {
    for (const [pointer, value] of values)
      assert.deepEqual(valueAt(document, pathOfPointer(pointer)), value, pointer);
  });

  it('leads to nothing that a document does not have itself', () => {
    for (const pointer of [
      '/foo/2',
      '/foo/00',
      '/foo/length',
      '/toString',
      '/foo/0/length',
      '/__proto__',
      '//a',
    ])
      assert.equal(valueAt(document, pathOfPointer(pointer)), undefined, pointer);
  });

  it('begins with a slash, and escapes tildes', () => {
    for (const text of ['foo', 'foo/bar', '/a~', '/~2']) assert.ok(!isPointer(text), text);
    for (const [pointer] of values) assert.ok(isPointer(pointer), pointer);
  });
});
