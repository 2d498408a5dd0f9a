import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { shellWord } from '../../src/base/shell-word.ts';
import { inputBench } from '../support/cli/input-bench.ts';
import { rowcast } from '../support/in-process.ts';

const header = 'customer,contract,tenure';
const rows = Array.from({ length: 12 }, (_, n) => `P-${n},${n % 3 ? 'rolling' : '12 months'},${n}`);
const csv = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');
const objects = rows.map(row => {
  const [customer, contract, tenure] = row.split(',');
  return { customer, contract, tenure: Number(tenure) };
});
const jsonLines = objects.map(object => JSON.stringify(object));
const table = csv([header, ...rows]);
const lines = csv(jsonLines);

/** What is wrong with a text, and the text that a filter makes of it. */
const wrong: Readonly<Record<string, readonly [text: string, corrected: string]>> = {
  'a delimiter at the end of each line': [csv([header, ...rows.map(row => `${row},`)]), table],
  'an index without a name': [
    csv([header, ...rows.map((row, n) => `${n},${row}`)]),
    csv([`index,${header}`, ...rows.map((row, n) => `${n},${row}`)]),
  ],
  'lines of delimiters': [csv([header, ...rows, ...rows.map(() => ',,'), ',,']), table],
  'lines of empty quotes': [csv([header, ...rows.map(() => '"","",""'), ' , ,', ...rows]), table],
  'a line of dashes': [csv([header, '--------,--------,------', ...rows]), table],
  'a line of units': [
    csv([`${header},age`, '-,-,years,months', ...rows.map(row => `${row},1`)]),
    csv([`${header},age`, ...rows.map(row => `${row},1`)]),
  ],
  'lines of a list': [`[\n${jsonLines.join(',\n')}\n]\n`, lines],
  'commas after objects': [csv(jsonLines.map(line => `${line},`)), lines],
  'objects on several lines': [csv(objects.map(object => JSON.stringify(object, null, 1))), lines],
  'rows in a list': [`${JSON.stringify({ 'of | $x': objects })}\n`, lines],
};

interface Variant {
  /** Without its suffix. */
  name: string;
  bytes: string | Buffer;
  options?: readonly string[];
  corrected: string;
}

/**
 * Names that a shell or an option could take for something else, encodings, compressions, line endings, and delimiters.
 */
function* variantsOf(text: string, corrected: string): Generator<Variant> {
  for (const name of ['a b', `it's $HOME "x" \`y\` %s`, '-x']) yield { name, bytes: text, corrected };
  yield { name: 'marked', bytes: `\ufeff${text}`, corrected };
  yield { name: 'windows', bytes: text.replaceAll('\n', '\r\n'), corrected };
  yield { name: 'a b.gz', bytes: gzipSync(text), corrected };
  yield { name: 'of no suffix', bytes: gzipSync(text.replaceAll('\n', '\r\n')), corrected };
  for (const encoding of ['utf-16', 'UTF-16LE', 'unicode'])
    yield {
      name: encoding,
      bytes: gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le')),
      options: ['--encoding', encoding],
      corrected,
    };
  yield {
    name: 'euros',
    bytes: Buffer.from(text.replaceAll('rolling', 'r\x80lling'), 'latin1'),
    options: ['--encoding', 'latin1'],
    corrected: corrected.replaceAll('rolling', 'r€lling'),
  };
  if (/^[[{]/.test(text)) return;
  for (const delimiter of ['\t', ';', '|', '^', '*', '$', '/', '&', ']', '\x01']) {
    const [bytes, delimited] = [text, corrected].map(each => each.replaceAll(',', delimiter)) as [
      string,
      string,
    ];
    yield {
      name: `d${delimiter.charCodeAt(0)}`,
      bytes,
      options: ['--delimiter', delimiter],
      corrected: delimited,
    };
  }
  const title = 'of a year\n\n';
  yield { name: 'titled', bytes: title + text, options: ['--skip-lines', '2'], corrected: title + corrected };
}

const pipe = /, with - as the input(?: and without --encoding)?: (.*) \| rowcast …$/m;

describe('a text filter that a message prints', () => {
  for (const [what, [text, corrected]] of Object.entries(wrong))
    it(`corrects ${what}`, async t => {
      const isJson = /^[[{]/.test(text);
      const [suffix, ...columns] = isJson ? ['.jsonl', '--features', 'tenure'] : ['.csv'];
      const { cwd, env } = await inputBench(t, '');
      const hasJq = spawnSync('jq', ['--version']).status === 0;
      for (const { name, bytes, options = [], corrected: wanted } of variantsOf(text, corrected)) {
        const file = name.replace(/(\.gz)?$/, `${suffix}$1`);
        await writeFile(join(cwd, file), bytes);
        const words = [...options, ...columns, '--report', 'r', '-o', `out of ${name}`, '--restart'];
        // From stdin, all names are the same.
        for (const input of name === 'a b' || options.length > 0 ? [`./${file}`, '-'] : [`./${file}`]) {
          const run = ['score', input, ...words, ...(isJson ? ['--input-format', 'jsonl'] : [])];
          const { stderr } = await rowcast(run, {
            cwd,
            env,
            ...(input === '-' && { stdin: Buffer.from(bytes) }),
          });
          const [, printed = ''] = pipe.exec(stderr) ?? assert.fail(`${name}: ${stderr}`);
          if (printed.includes('jq ') && !hasJq) return t.skip('jq is missing here');
          const command = printed.replace('…', `cat ${shellWord(`./${file}`)}`);
          const { stdout, stderr: said } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
          assert.equal(said, '', command);
          // A byte order mark and CRLF may stay.
          assert.equal(stdout.replaceAll(/[\ufeff\r]/g, ''), wanted, `${name}: ${command}`);
        }
      }
    });
});
