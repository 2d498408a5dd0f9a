import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refuseUnsupported } from '../../src/formats/refuse-unsupported.ts';

/** How files of other formats begin, as these programs write them. */
const files: readonly [string, string, string][] = [
  ['a.zst', '28b52ffd04582100', 'zstd -dc < a.zst | rowcast …'],
  ['skippable.zst', '502a4d1804000000', 'zstd -dc < skippable.zst | rowcast …'],
  ['a.xz', 'fd377a585a000004', 'xz -dc < a.xz | rowcast …'],
  ['a.lz4', '04224d186440a7', 'lz4 -dc < a.lz4 | rowcast …'],
  ['a b.bz2', '425a6839314159265359', "bzip2 -dc < 'a b.bz2' | rowcast …"],
  ['empty.bz2', '425a683917724538509000000000', 'bzip2 -dc < empty.bz2 | rowcast …'],
  ['a.zip', '504b03040a000000', 'unzip -p a.zip | rowcast …'],
  ['a.json', hex('\ufeff[\n  {\n    "a\\"b": 1'), "jq -c '.[]' a.json | rowcast …"],
  ['stdin', 'fd377a585a000004', 'input: … | xz -dc | rowcast …'],
  ['s3://b/a b.xz', 'fd377a585a000004', "input: aws s3 cp 's3://b/a b.xz' - | xz -dc | rowcast …"],
  ['gs://b/a.zip', '504b03040a000000', 'gcloud storage cat gs://b/a.zip | bsdtar -xOf - | rowcast …'],
  ['az://c/d/a.xz', 'fd377a585a000004', '--only-show-errors -c c -n d/a.xz | xz -dc | rowcast …'],
  ['https://h/a.json', hex('[{"a": 1}]'), "curl -fsSL https://h/a.json | jq -c '.[]' | rowcast …"],
];

describe('a file that is not CSV', () => {
  for (const [file, bytes, pipe] of files)
    it(`is refused with the command that makes CSV of it: ${file}`, () => {
      assert.throws(
        () => refuseUnsupported(Buffer.from(bytes, 'hex'), { name: file }, 'CSV'),
        ({ code, hint }) => {
          assert.equal(code, 'unsupported_format');
          assert.ok(hint.endsWith(pipe), hint);
          return true;
        },
      );
    });

  it('is decompressed first, if it is compressed', () => {
    const json = Buffer.from('[{"a": 1}]');
    for (const [name, pipe] of [
      ['a b.gz', "gzip -dc < 'a b.gz' | jq -c '.[]' | rowcast …"],
      ['stdin', "input: … | gzip -dc | jq -c '.[]' | rowcast …"],
      ['https://h/a', "curl -fsSL https://h/a | gzip -dc | jq -c '.[]' | rowcast …"],
    ] as const)
      assert.throws(
        () => refuseUnsupported(json, { name, decodedBy: ['gzip -dc'] }, 'CSV'),
        ({ hint }) => hint.endsWith(pipe),
      );
  });

  it('is saved first, if a program cannot read it from a pipe', () => {
    const orc = Buffer.from('ORC\n\0');
    for (const [name, ending] of [
      ['a.b/c d.orc', " 'a.b/c d.orc' 'a.b/c d.orc.parquet'"],
      ['a.b/orc', ' a.b/orc a.b/orc.parquet'],
      ['stdin', ' FILE FILE.parquet'],
      ['s3://b/c.orc', ' FILE FILE.parquet'],
    ] as const)
      assert.throws(
        () => refuseUnsupported(orc, { name }, 'CSV'),
        ({ hint }) => hint.endsWith(ending),
      );
  });
});

describe('a CSV', () => {
  it('may begin like another format', () => {
    for (const text of [
      'BZh9,b\n',
      'PAR1,x\n',
      'PK,id\n',
      '(id),b\n',
      '{a},b\n',
      '{"a"},b\n',
      '[a],"b"\n',
      '[[a],"b"\n',
      '{,"b": 1\n',
      'x^2,y\n1,2\n',
      'ORC,human\n',
      'id,name,DUCK,GOOSE\n1,2,3,4\n',
      '<TICKER>,<PER>,<DATE>\n',
      '<html>,<css>\n',
      '0a\n\n1\n2\n',
      'version,https\n',
      'Object,b\n',
      '',
    ])
      refuseUnsupported(Buffer.from(text), { name: 'a.csv' }, 'CSV');
  });
});

describe('JSON lines', () => {
  it('may begin with a line that is no object', () => {
    for (const text of [
      '{"a": 1}\n{"a": 2}\n',
      '{"a":\n{"a": 2}\n',
      '[1]\n{"a": 2}\n',
      '{"a": {"b": 1}}\r\n{"a":2}',
    ])
      refuseUnsupported(Buffer.from(text), { name: 'a.jsonl' }, 'JSON lines');
  });
});

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}
