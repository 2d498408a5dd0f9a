import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { trainReport } from '../../src/training/train.ts';
import { asWord, shell } from '../support/cli/shell.ts';
import { newFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';
import { churnHome, copyHome } from '../support/service/history.ts';

/** A data directory with the reports `churn` of the fixtures and `left` of three columns. */
let home = '';

before(async () => {
  home = await churnHome();
  const history = Array.from(
    { length: 300 },
    (_, n) => `P-${n},${n % 3 ? 'rolling' : '12 months'},${n % 60},${n % 3 ? 'yes' : 'no'}\n`,
  );
  const historyFile = join(home, 'history.csv');
  await writeFile(historyFile, `customer,contract,tenure,left\n${history.join('')}`);
  await trainReport({ historyFile, predict: 'left', id: 'left', home });
});

/** A folder with spaces in its name and the reports of another folder, in which a shell runs lines as they are printed. */
async function bench(t: TestContext) {
  const folder = join(await newFolder(t), 'my files');
  await copyHome(home, join(folder, 'my home'));
  const personas = await readFile(join(root, 'fixtures/telecom-personas.csv'), 'utf8');
  const [header = '', ...records] = personas.split('\n');
  const fields = (line: string): number => line.split(',').length;
  const lines = [
    header,
    ...records.filter(line => !line.includes('"') && fields(line) === fields(header)).slice(0, 200),
  ];
  const whole = lines[3] ?? '';
  lines[3] = whole.replace(/,[^,]*$/, '');
  await writeFile(join(folder, 'in 1.csv'), `${lines.join('\n')}\n`);
  /** Corrects the one row that is malformed. */
  const correct = async (name: string): Promise<void> => {
    const rejects = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), rejects.replace(whole.replace(/,[^,]*$/, ''), whole));
  };
  const run = (line: string, env = {}) => shell(line, folder, env);
  /** The commands in a text, each on a line of its own. */
  const printed = (said: string): string[] =>
    [...said.matchAll(/^ +(?:next +)?(rowcast .*)$/gm)].map(([, line = '']) => line);
  return { folder, shell: run, printed, correct };
}

describe('a command that is printed', { timeout: 300_000 }, () => {
  const shapes: Readonly<Record<string, string>> = {
    'the usual columns': '',
    'other columns':
      "--keep 'contract,customer' --rename 'customer=a b' --prediction --decimals 3 --prefix p",
    'a threshold': '--threshold yes=0.3 --probabilities yes --private',
    'no probabilities': "--threshold 'yes=0.3' --probabilities none --nulls 'NA,-'",
  };
  for (const [name, shape] of Object.entries(shapes))
    it(`puts corrected rejects back into an output with ${name}`, async t => {
      const { shell, printed, correct } = await bench(t);
      const { code, said } = await shell(
        `rowcast score 'in 1.csv' --report churn --home 'my home' ${shape} -o 'my out.csv'`,
      );
      assert.equal(code, 1, said);
      const commands = printed(said);
      assert.equal(commands.length, 2, said);
      await correct('my out.csv.rejects');
      for (const line of commands) {
        const end = await shell(line);
        assert.equal(end.code, 0, `${line}\n${end.said}`);
      }
    });

  it('puts corrected rejects back in every format, or is not printed', async t => {
    const { folder, shell, printed } = await bench(t);
    const header = 'customer,contract,tenure';
    const whole = 'P-9,rolling,3';
    const rows = ['P-1,rolling,3', 'P-2,24 months,40', 'P-3,12 months,12'];
    const asObject = (row: string): string => {
      const [customer, contract, tenure] = row.split(',');
      return JSON.stringify({ customer, contract, tenure: Number(tenure) });
    };
    const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
    const comma = text([header, ...rows, 'P-9,rolling']);
    const lines = text([...rows.map(asObject), '{"customer": "P-9",']);
    const files: Readonly<Record<string, string | Buffer>> = {
      'a b.csv': comma,
      "a'b.csv.gz": gzipSync(comma),
      'a.tsv': comma.replaceAll(',', '\t'),
      'a;b.jsonl': lines,
      'a.jsonl.gz': gzipSync(lines),
      // Only their first bytes say what they are.
      'of lines.log': lines,
      'of commas.log': comma,
    };
    const options = "--report left --home 'my home' --prediction";
    const hasStdin = ['a b.csv', 'of lines.log'];
    const corrections: readonly (readonly [string, string])[] = [
      ['P-9,rolling', whole],
      ['P-9\trolling', whole.replaceAll(',', '\t')],
      [`"reject_record":${JSON.stringify('{"customer": "P-9",')}`, asObject(whole).slice(1, -1)],
    ];
    for (const [name, bytes] of Object.entries(files)) {
      await writeFile(join(folder, name), bytes);
      for (const suffix of ['.csv', '.csv.gz', '.tsv', '.jsonl', '.jsonl.gz', '.parquet', ' of any'])
        for (const from of [asWord(name), ...(hasStdin.includes(name) ? [`- < ${asWord(name)}`] : [])]) {
          const output = `my ${name.length} it's${suffix}`;
          const quoted = asWord(output);
          const { code, said } = await shell(`rowcast score ${options} -o ${quoted} ${from}`);
          // A name that says what cannot be written.
          if (code === 2) {
            assert.match(said, /\[(wrong_suffix|cannot_quote)\]/);
            continue;
          }
          assert.equal(code, 1, `${from} ${output}: ${said}`);
          const commands = printed(said);
          if (commands.length === 0) {
            assert.match(said, /cannot be repaired/);
            continue;
          }
          const path = join(folder, `${output}.rejects`);
          const rejects = await readFile(path, 'utf8');
          await writeFile(
            path,
            corrections.reduce((all, [wrong, right]) => all.replace(wrong, right), rejects),
          );
          for (const line of commands) {
            const end = await shell(line);
            assert.equal(end.code, 0, `${from} ${output}: ${line}\n${end.said}`);
          }
          const input = from.startsWith('-') ? `- ${quoted} ${from.slice(2)}` : `${from} ${quoted}`;
          const verified = await shell(`rowcast verify ${input}`);
          assert.equal(verified.code, 0, `${from} ${output}: ${verified.said}`);
        }
    }
  });

  it('lets a run begin whose input needs an option, and resumes or restarts it', async t => {
    const { folder, shell } = await bench(t);
    const header = 'customer,contract,tenure';
    const table = `${header}\nP-1,rolling,3\nP-2,12 months,30\n`;
    const score = (name: string, more = '') =>
      `rowcast score '${name}' --report left --home 'my home' -o 'out of ${name}.csv'${more}`;
    const utf16 = Buffer.from(`\ufeff${table}`, 'utf16le');
    // Each has the option that its message names.
    const needy: readonly (readonly [string, string | Buffer, RegExp, (option: string) => string])[] = [
      ['a title.csv', `of the year\n${table}`, /use (--skip-lines 1)\./, option => option],
      [
        'no header.csv',
        table.slice(header.length + 1),
        /with (--names) NAME/,
        option => `${option} ${header}`,
      ],
      ['a title.csv.gz', gzipSync(`of the year\n${table}`), /use (--skip-lines 1)\./, option => option],
      ['wide.csv', utf16, /such as (--encoding utf-16)/, option => option],
      ['open.csv', `${table}P-3,"rolling,3\n`, /use (--quote none)/, option => option],
    ];
    for (const [name, bytes, pattern, optionOf] of needy) {
      await writeFile(join(folder, name), bytes);
      const refused = await shell(score(name));
      const [, option = ''] = pattern.exec(refused.said) ?? assert.fail(refused.said);
      const ended = await shell(score(name, ` ${optionOf(option)} --restart`));
      assert.equal(ended.code, 0, `${name} ${option}: ${ended.said}`);
    }

    for (const name of ['in it.csv', 'in it.csv.gz', 'in it.jsonl']) {
      const rows = [...Array(5).keys()].map(n => (n % 2 ? `P-${n}` : `P-${n},rolling,3`));
      const lines = [...Array(5).keys()].map(n =>
        n % 2 ? '{"customer":' : `{"customer":"P-${n}","contract":"rolling","tenure":3}`,
      );
      const text = `${[header, ...rows].join('\n')}\n`;
      const bytes = name.endsWith('.jsonl') ? `${lines.join('\n')}\n` : text;
      await writeFile(join(folder, name), name.endsWith('.gz') ? gzipSync(bytes) : bytes);
      const stopped = await shell(score(name, ' --max-rejects 0'));
      assert.match(stopped.said, /run the same command with a higher --max-rejects/);
      assert.equal((await shell(score(name, ' --max-rejects 100% --rejects-ok 100%'))).code, 0, name);
      assert.equal((await shell(score(name, ' --max-rejects 0 --if-exists replace'))).code, 3, name);
      const other = await shell(score(name, ' --decimals 3 --rejects-ok 100%'));
      assert.match(other.said, /use --restart-if-changed.* or --restart/);
      assert.equal((await shell(`rowcast abort 'out of ${name}.csv'`)).code, 0, name);
    }
  });

  it('scores and joins the shards of a plan', async t => {
    const { shell, printed, correct } = await bench(t);
    const { code, said } = await shell(
      "rowcast plan 'in 1.csv' --report churn --home 'my home' -o out.csv --shards 'my shards'",
    );
    assert.equal(code, 0, said);
    const [work = '', task = '', assemble = ''] = printed(said);
    for (const line of [task.replace('--shard I', '--shard 0'), work]) {
      const end = await shell(line);
      assert.equal(end.code, 0, `${line}\n${end.said}`);
    }
    const joined = await shell(assemble);
    assert.equal(joined.code, 1, joined.said);
    const [score = '', repair = ''] = printed(joined.said);
    await correct('out.csv.rejects');
    for (const line of [score, repair]) assert.equal((await shell(line)).code, 0, line);
  });

  it('shows the report of a definition, and reaches local reports if ROWCAST_URL names a service', async t => {
    const { folder, shell } = await bench(t);
    await writeFile(
      join(folder, 'job.yaml'),
      'home: my home\nservice: {url: local}\nscore: {input: in 1.csv, report: churn, output: out.csv}\n',
    );
    const { said } = await shell('rowcast run job.yaml');
    const [, line = ''] = /or run: (rowcast report .*)$/m.exec(said) ?? [];
    assert.match((await shell(line)).said, /accuracy/, `${line}\n${said}`);
    const elsewhere = { ROWCAST_URL: 'http://127.0.0.1:9', ROWCAST_API_KEY: 'unused' };
    const other = "rowcast score 'in 1.csv' --url local --home 'my home' --report churn -o other.csv";
    const scored = await shell(other, elsewhere);
    const [, score = ''] = /^ +(rowcast score .*)$/m.exec(scored.said) ?? [];
    const again = await shell(score, elsewhere);
    assert.doesNotMatch(again.said, /127\.0\.0\.1/, `${score}\n${again.said}`);
  });
});
