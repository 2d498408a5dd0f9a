import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refuseOtherFormats } from '../../src/formats/unsupported-formats.ts';

/** How files of other formats begin, as these programs write them. */
const files: readonly [string, string, string][] = [
  ['a.zst', '28b52ffd04582100', 'zstd -dc a.zst | rowcast …'],
  ['skippable.zst', '502a4d1804000000', 'zstd -dc skippable.zst | rowcast …'],
  ['a.xz', 'fd377a585a000004', 'xz -dc a.xz | rowcast …'],
  ['a.lz4', '04224d186440a7', 'lz4 -dc a.lz4 | rowcast …'],
  ['a b.bz2', '425a6839314159265359', "bzip2 -dc 'a b.bz2' | rowcast …"],
  ['empty.bz2', '425a683917724538509000000000', 'bzip2 -dc empty.bz2 | rowcast …'],
  ['a.zip', '504b03040a000000', 'unzip -p a.zip | rowcast …'],
  ['a.jsonl', hex('{"a": 1}\n{"a": 2}\n'), 'mlr --ijson --ocsv cat a.jsonl | rowcast …'],
  ['a.json', hex('\ufeff[\n  {\n    "a\\"b": 1'), 'mlr --ijson --ocsv cat a.json | rowcast …'],
  ['stdin', 'fd377a585a000004', 'input: xz -dc | rowcast …'],
  ['s3://b/a b.xz', 'fd377a585a000004', "input: aws s3 cp 's3://b/a b.xz' - | xz -dc | rowcast …"],
  ['gs://b/a.zip', '504b03040a000000', 'gcloud storage cat gs://b/a.zip | bsdtar -xOf - | rowcast …'],
  ['az://c/d/a.xz', 'fd377a585a000004', '--only-show-errors -c c -n d/a.xz | xz -dc | rowcast …'],
  ['https://h/a.json', hex('[{"a": 1}]'), 'curl -fsSL https://h/a.json | mlr --ijson --ocsv cat | rowcast …'],
];

describe('a file that is not CSV', () => {
  for (const [file, bytes, pipe] of files)
    it(`is refused with the command that makes CSV of it: ${file}`, () => {
      assert.throws(
        () => refuseOtherFormats(Buffer.from(bytes, 'hex'), file),
        ({ code, hint }) => {
          assert.equal(code, 'not_csv');
          assert.ok(hint.endsWith(pipe), hint);
          return true;
        },
      );
    });

  it('is refused with the name that it should have: Parquet that is called CSV', () => {
    const bytes = Buffer.from('504152311504151a', 'hex');
    assert.throws(() => refuseOtherFormats(bytes, 'a.csv'), { code: 'not_csv', hint: /ends in \.parquet/ });
  });
});

describe('a CSV', () => {
  it('may begin like the name of another format', () => {
    for (const text of [
      'BZh9,b\n',
      'PAR1,x\n',
      'PK,id\n',
      '(id),b\n',
      '{a},b\n',
      '{"a"},b\n',
      '[a],"b"\n',
      '{,"b": 1\n',
      '',
    ])
      refuseOtherFormats(Buffer.from(text), 'a.csv');
  });
});

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}
