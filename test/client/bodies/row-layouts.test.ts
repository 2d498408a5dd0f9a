import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BodyWriter } from '../../../src/client/bodies/body-writer.ts';
import { reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import { contractWire } from '../../../src/client/protocols/report/wire-names.ts';
import { wordView } from '../../../src/formats/bytes/word-view.ts';
import { encodeValue } from '../../../src/formats/json/write-bytes.ts';
import { encodeText } from '../../support/scoring/encoded.ts';

/** A value as it is written in a body. */
function inBody(field: string, isText: boolean): string {
  const words = wordView(Buffer.from(`,${field},`));
  const bodies = new BodyWriter();
  bodies.begin();
  bodies.member(wordView(Buffer.alloc(0)), words, 1, words.bytes.length - 1, isText);
  return bodies.take().toString();
}

const valueEncoder =
  (type: string | undefined) =>
  (field: string): string => {
    const value = encodeValue(field, type);
    assert.equal(inBody(field, type === 'categorical'), value);
    return value;
  };

describe('a value', () => {
  it('is a JSON number, verbatim, only if it is one that a double holds, and its column is not categorical', () => {
    const numbers = '0 -0 12 -1.50 1e5 1E+5 0.1e-7 123456789012345 1.00000000000000001'.split(' ');
    const encode = valueEncoder(undefined);
    for (const text of [...numbers, '999999999999999', '-999999999999999']) assert.equal(encode(text), text);
    const others =
      '007 +1 .5 1. 1,5 0x10 1e NaN Infinity true null --1 １ 9007199254740993 -9007199254740993';
    for (const text of [...others.split(' '), ' 1', '1 ', '1\n'])
      assert.equal(encode(text), JSON.stringify(text));
    const encodeText = valueEncoder('categorical');
    for (const text of ['1', '1.50', ' a\u0000"\n', '日'])
      assert.equal(encodeText(text), JSON.stringify(text));
  });
});

describe('a body', () => {
  it('contains the id and every well-formed row, with the names of the contract', () => {
    const text = 'a,b\n1.50,"x ""y"""\n,NA\n1\n\n007,1\n';
    const [encoded, ...more] = encodeText(text, { nulls: ['NA'], types: { b: 'categorical' } }).encoded;
    assert.equal(more.length, 0);
    assert.equal(
      encoded?.body.toString(),
      '{"id":"r","personas":[{"features":{"a":1.50,"b":"x \\"y\\""}},{"features":{"a":null,"b":null}},' +
        '{"features":{"a":"007","b":"1"}}]}',
    );
    assert.equal(encoded?.personas, 3);
    assert.deepEqual([...(encoded?.faults.keys() ?? [])], [2]);
  });

  it('uses the member names that the deployment configures', () => {
    const wire = { ...contractWire, id: 'model "x"', personas: 'rows', features: 'row' };
    const [encoded] = encodeText('a\n1\n', { protocol: reportProtocol(wire) }).encoded;
    assert.equal(encoded?.body.toString(), '{"model \\"x\\"":"r","rows":[{"row":{"a":1}}]}');
  });

  it('keeps a column named __proto__ as an own member', () => {
    const [encoded] = encodeText('__proto__,b\n1,2\n').encoded;
    assert.match(encoded?.body.toString() ?? '', /\{"features":\{"__proto__":1,"b":2\}\}/);
  });

  it('over the limit is split in halves until it fits, with every row kept in order', () => {
    const rows = Array.from({ length: 37 }, (_, row) => `${row},"${'é'.repeat((row * 7) % 30)}"`);
    rows.splice(5, 0, '', 'ragged', '"x"y,1');
    const text = `a,b\n${rows.join('\n')}\n`;
    const whole = encodeText(text);
    const halves = encodeText(text, { batchBytes: 200 });
    assert.equal(whole.encoded.length, 1);
    assert.ok(halves.encoded.length > 8);

    const personasOf = ({ encoded }: typeof whole): unknown[] =>
      encoded.flatMap(({ body }) => JSON.parse(body.toString()).personas);
    assert.deepEqual(personasOf(halves), personasOf(whole));
    assert.equal(personasOf(whole).length, 37);
    assert.equal(Buffer.concat(halves.encoded.map(({ batch }) => batch.bytes)).toString(), text.slice(4));
    assert.deepEqual(
      halves.encoded.flatMap(({ faults }) => [...faults.values()].map(({ code }) => code)),
      ['too_few_fields', 'bad_quoting'],
    );
    for (const { body, personas, batch } of halves.encoded) {
      assert.ok(body.length <= 200 || personas === 1, `${personas} personas, ${body.length} bytes`);
      assert.equal(JSON.parse(body.toString()).personas.length, personas);
      assert.equal(batch.ends.at(-1), batch.bytes.length);
    }
  });

  it('of one row may exceed the limit, since it cannot be split', () => {
    const { encoded } = encodeText(`a\n${'x'.repeat(300)}\n1\n`, { batchBytes: 100 });
    assert.deepEqual(
      encoded.map(({ personas }) => personas),
      [1, 1],
    );
  });

  it('is no longer than the reader estimates for rows that need no escapes', () => {
    const {
      encoded: [encoded],
      rowOverhead,
    } = encodeText('name,b\nabc,1\ndef,2\n');
    const estimated = 'abc,1\ndef,2\n'.length + 2 * rowOverhead;
    const around = '{"id":"r","personas":[]}'.length;
    assert.ok(Number(encoded?.body.length) - around <= estimated);
  });
});
