import { describe, it } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { startStub } from '../../support/stub/service.ts';

const ROWS = 'age,city\n31,"x, \\"y\\""\n42,z\n53,z\n';
const ALL = /--delimiter, --quote, --escape, --names, --skip-lines, --encoding or --input-format/;

describe('an input that verify reads in another way than the run did', () => {
  const cases: Record<string, { text: string; options: string[]; says: RegExp }> = {
    'with a delimiter': {
      text: ROWS.replace(/"[^\n]+/, 'x').replaceAll(',', ';'),
      options: ['--delimiter', ';'],
      says: /may be read in another way .* --delimiter ';'/,
    },
    'after lines that were left out': {
      text: `a title\n\n${ROWS.replace(/"[^\n]+/, 'x')}`,
      options: ['--skip-lines', '2'],
      says: /may be read in another way .* Line 3 has these columns: use --skip-lines 2\./,
    },
    'with names': {
      text: ROWS.slice(ROWS.indexOf('42')),
      options: ['--names', 'age,city'],
      says: ALL,
    },
    'with escaped quotes': {
      text: ROWS,
      options: ['--escape', '\\'],
      says: /If the run had --escape '\\', give verify the same\./,
    },
    'with other quotes': {
      text: ROWS.replace(/"[^\n]+/, "'x, y'"),
      options: ['--quote', "'"],
      says: /If the run had another --quote, --escape or --delimiter, give verify the same\./,
    },
  };
  // An error in the header and one in a record, with an output of each format.
  for (const [title, { text, options, says }] of Object.entries(cases))
    for (const output of /delimiter|escaped/.test(title)
      ? ['out.csv', 'out.jsonl', 'out.parquet']
      : ['out.csv'])
      it(`${title} is told the options of the run: ${output}`, async t => {
        const { env } = await startStub(t);
        const cwd = await newFolder(t, { 'in.csv': text });
        const run = async (command: string, ...args: string[]) =>
          rowcast([command, 'in.csv', ...args], { cwd, env });
        await exits(run('score', '--report', 'r', '--classes', 'no,yes', '-o', output, ...options), 0);
        await exits(run('verify', output), 4, says, /Otherwise one of the files was modified/);
        await exits(run('verify', output, ...options), 0);
      });
});
