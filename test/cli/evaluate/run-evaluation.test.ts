import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Evaluation } from '../../../src/evaluate/evaluation.ts';
import { evaluate } from '../../../src/library/evaluate/evaluate.ts';
import { readReport } from '../../../src/models/store/report-store.ts';
import { trainReport } from '../../../src/training/train.ts';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { startObjectService } from '../../support/object-store/object-service.ts';
import { parquetOf } from '../../support/parquet.ts';
import type { Finished } from '../../support/rowcast.ts';
import { csv, history } from '../../support/service/history.ts';
import { ownTrainedHome } from '../../support/service/serving.ts';

/** 40 customers: every probability of the scored ones, and whether each has left. */
const customers = Array.from({ length: 40 }, (_, index) => ({
  id: `C${index}`,
  plan: index % 3 === 0 ? 'pro' : 'basic',
  yes: (index + 0.5) / 40,
  label: (index * 7) % 40 < index ? 'yes' : 'no',
}));
const SCORED = `id,plan,probability_no,probability_yes,predicted_left\n${customers
  .map(({ id, plan, yes }) => `${id},${plan},${1 - yes},${yes},${yes > 0.3 ? 'yes' : 'no'}\n`)
  .join('')}`;
const LABELS = `left,id\n${customers
  .toReversed()
  .map(({ id, label }) => `${label},${id}\n`)
  .join('')}`;

async function bench(t: TestContext, files: Readonly<Record<string, string | Buffer>> = {}) {
  const cwd = await newFolder(t);
  for (const [name, text] of Object.entries({ 'scored.csv': SCORED, 'labels.csv': LABELS, ...files }))
    await writeFile(join(cwd, name), text);
  const run = (args: string, stdin?: string): Promise<Finished> =>
    rowcast(['evaluate', ...args.split(' ')], { cwd, ...(stdin !== undefined && { stdin }) });
  const evaluated = async (args: string, stdin?: string): Promise<Evaluation> => {
    const { stdout } = await exits(run(`${args} --json`, stdin), 0);
    return JSON.parse(stdout.toString());
  };
  const refused = async (args: string, ...patterns: RegExp[]): Promise<void> => {
    const { stderr } = await exits(run(args), 2);
    for (const pattern of patterns) assert.match(stderr, pattern);
  };
  return { cwd, run, evaluated, refused, read: (name: string) => readFile(join(cwd, name), 'utf8') };
}

const BY_KEY = '--labels labels.csv --key id --predict left';

/** The figures of an evaluation, whatever it was read from. */
const figuresOf = ({ figures, confusion, coverage }: Evaluation) => ({ figures, confusion, coverage });

describe('rowcast evaluate', () => {
  it('joins labels in any order by a key, and compares them with the labels that were predicted', async t => {
    const { run, evaluated } = await bench(t);
    const { stdout } = await exits(run(`scored.csv ${BY_KEY}`), 0, /evaluated 40 of 40 scored rows/);
    assert.match(stdout.toString(), /^left: 40 of 40 scored rows have a label \(100\.0%\)\n/);
    const evaluation = await evaluated(`scored.csv ${BY_KEY}`);
    const right = customers.filter(({ yes, label }) => (yes > 0.3 ? 'yes' : 'no') === label).length;
    assert.equal(evaluation.figures.accuracy?.value, right / 40);
    const pairs = customers.flatMap(a =>
      customers.filter(b => a.label === 'yes' && b.label === 'no').map(b => a.yes > b.yes),
    );
    assert.equal(
      evaluation.figures.auc?.value,
      Number((pairs.filter(Boolean).length / pairs.length).toPrecision(10)),
    );
    assert.deepEqual(evaluation.joined, { by: 'key', key: ['id'], labels: 40, unused: {} });
  });

  it('gives the same figures by rows, by a column of the scored files, of several files, and from stdin', async t => {
    const rows = SCORED.trimEnd().split('\n');
    const own = rows
      .map((row, index) => `${row},${index === 0 ? 'left' : customers[index - 1]?.label}\n`)
      .join('');
    const part = (from: number, to: number): string => [rows[0], ...rows.slice(from, to), ''].join('\n');
    const { evaluated } = await bench(t, {
      'ordered.csv': `left\n${customers.map(({ label }) => `${label}\n`).join('')}`,
      'own.csv': own,
      'part-1.csv': part(1, 18),
      'part-2.csv.gz': gzipSync(part(18, 41)),
      'scored.jsonl': customers
        .map(
          ({ id, yes }) =>
            `${JSON.stringify({ id, probability_no: 1 - yes, probability_yes: yes, predicted_left: yes > 0.3 ? 'yes' : 'no' })}\n`,
        )
        .join(''),
    });
    const expected = figuresOf(await evaluated(`scored.csv ${BY_KEY}`));
    for (const [args, stdin] of [
      ['scored.csv --labels ordered.csv --by-row --predict left'],
      ['own.csv --predict left'],
      [`part-1.csv part-2.csv.gz ${BY_KEY}`],
      [`part-* ${BY_KEY}`],
      [`- ${BY_KEY}`, SCORED],
      ['scored.csv --labels - --key id --predict left', LABELS],
      [`scored.jsonl ${BY_KEY}`],
    ] as const)
      assert.deepEqual(figuresOf(await evaluated(args, stdin)), expected, args);
  });

  it('counts labels that it does not use, and lists their keys in a file', async t => {
    const more = 'yes,C1\nno,C1\nno,C2\nyes,X\nyes,\n,C3\n';
    const label = customers[2]?.label;
    const { run, read, cwd } = await bench(t, {
      'labels.csv': LABELS + more.replace('no,C2', `${label},C2`),
      'scored.csv': `${SCORED}C4,pro,0.5,0.5,no\n`,
    });
    const { stdout, stderr } = await run(`scored.csv ${BY_KEY} --json`);
    const { joined, coverage } = JSON.parse(stdout.toString());
    assert.equal(joined.labels, 46);
    assert.deepEqual(joined.unused, {
      no_label: 1,
      no_key: 1,
      conflicting_labels: 3,
      not_scored: 1,
      scored_twice: 1,
      label_twice: 1,
    });
    assert.deepEqual([coverage.rows, coverage.labelled], [41, 38]);
    assert.match(stderr, /of 46 labels, these were not used: .*3 of keys with different labels/);
    assert.match(stderr, /4 keys are listed in labels\.csv\.unmatched\.csv/);
    const listed = 'problem,id,label_rows,scored_rows,labels,row\n';
    assert.equal(
      await read('labels.csv.unmatched.csv'),
      `${listed}scored_twice,C4,1,2,labels.csv,36\nlabel_twice,C2,2,1,labels.csv,38\nconflicting_labels,C1,3,1,labels.csv,39\nnot_scored,X,1,0,labels.csv,44\n`,
    );
    await writeFile(join(cwd, 'labels.csv'), LABELS);
    await writeFile(join(cwd, 'scored.csv'), SCORED);
    await run(`scored.csv ${BY_KEY}`);
    await assert.rejects(stat(join(cwd, 'labels.csv.unmatched.csv')), { code: 'ENOENT' });
  });

  it('compares labels exactly, and asks what others may mean', async t => {
    const { run } = await bench(t, { 'labels.csv': 'id,left\nC1,Yes\nC2,no \nC3,1\nC4,elsewhere\nC5,no\n' });
    const { stderr, stdout } = await run(`scored.csv ${BY_KEY}`);
    assert.match(stderr, /1 label "Yes" is no class; is it "yes"\?/);
    assert.match(stderr, /1 label "no " is no class; is it "no"\?/);
    assert.match(stderr, /1 label "1" is no class; is it "yes"\?/);
    assert.doesNotMatch(stderr, /elsewhere/);
    assert.match(stdout.toString(), /^left: 1 of 40 scored rows has a label/);
  });

  it('refuses labels none of which has a scored row, and says in what their keys differ', async t => {
    const numbers = (keyOf: (number: number) => string): string =>
      `id,amount\n${Array.from({ length: 30 }, (_, i) => `${keyOf(i + 1)},5\n`).join('')}`;
    const scored = numbers(i => String(i).padStart(3, '0')).replace('amount', 'predicted_amount');
    const { refused, run, evaluated, read } = await bench(t, {
      'numbers.csv': scored,
      'plain.csv': numbers(String),
      'decimals.csv': numbers(i => `${i}.0`),
      'spaces.csv': numbers(i => ` ${String(i).padStart(3, '0')}`),
      'others.csv': numbers(i => `x${i}`),
      'texts.csv': scored.replace(/,5/g, ',five').replace('predicted_', ''),
      'later.csv': scored.replace(/,5/g, ',').replace('predicted_', ''),
      'some.csv': numbers(i => (i <= 10 ? String(i).padStart(3, '0') : String(i))),
      'none.csv': 'id,predicted_amount\n001,\n',
      'full.csv': 'id,amount\n001,5\n',
    });
    const by = (file: string): string => `numbers.csv --labels ${file} --key id --predict amount`;
    const none =
      /none of 30 labels belongs to a scored row with a prediction: 30 of keys that were not scored/;
    const example = /the labels have the key "1", the scored rows "001" \[no_matches\]/;
    await refused(`${by('plain.csv')} --summary s.json`, none, example, /differ only in leading zeros\./);
    await assert.rejects(read('s.json'), { code: 'ENOENT' });
    await refused(by('decimals.csv'), none, /only in decimals that are zero, leading zeros/);
    await refused(by('spaces.csv'), none, /key " 001", .*\n.*only in spaces around them/);
    await refused(
      by('others.csv'),
      none,
      /key "x1", the scored rows "001"/,
      /both files are of the same rows/,
    );
    await refused(by('texts.csv'), /30 that are not what is predicted \[no_matches\]/);
    await refused(
      'none.csv --labels full.csv --key id --predict amount',
      /none of 1 label .*1 scored row without a valid prediction/,
    );
    await exits(
      run(by('some.csv')),
      0,
      /20 keys of labels differ from a key of scored rows only in leading zeros\./,
    );
    // Nothing is wrong with labels that have not come yet.
    assert.equal((await evaluated(by('later.csv'))).coverage.labelled, 0);
  });

  it('reads scored rows and labels of stores and Parquet, and a program gets the same evaluation', async t => {
    const service = await startObjectService(t);
    const env = {
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_S3: service.endpoint,
    };
    const { evaluated, cwd } = await bench(t, {
      'scored.parquet': await parquetOf(SCORED),
      'labels.parquet': await parquetOf(LABELS),
    });
    service.put('/out/a.csv', Buffer.from(SCORED));
    service.put('/labels.csv.gz', gzipSync(LABELS));
    const expected = figuresOf(await evaluated(`scored.csv ${BY_KEY}`));
    const parquet = await evaluated('scored.parquet --labels labels.parquet --key id --predict left');
    assert.deepEqual(figuresOf(parquet), expected);
    const args = 's3://bucket/out/*.csv --labels s3://bucket/labels.csv.gz --key id --predict left';
    await exits(
      rowcast(
        ['evaluate', ...args.split(' '), '--summary', 's3://bucket/s.json', '--html', 's3://bucket/p.html'],
        { cwd, env },
      ),
      0,
    );
    const stored = (key: string): string => service.objects.get(key)?.bytes.toString() ?? '';
    assert.deepEqual(figuresOf(JSON.parse(stored('/s.json'))), expected);
    assert.match(stored('/p.html'), /^<!doctype html>/i);
    const at = (name: string): string => join(cwd, name);
    const given = { labels: [at('labels.csv')], key: ['id'], predict: 'left' };
    const steps: string[] = [];
    const own = await evaluate({
      scored: pathToFileURL(at('scored.parquet')),
      ...given,
      onStep: step => steps.push(step),
    });
    assert.deepEqual(figuresOf(own), expected);
    assert.match(steps.join(), /reading labels: 40 rows/);
    await assert.rejects(evaluate({ scored: at('scored.csv'), ...given, minAuc: 1, home: cwd }), {
      code: 'beyond_limit',
    });
    await assert.rejects(evaluate({ scored: at('scored.csv'), ...given, key: ['plan'] }), {
      code: 'no_such_column',
    });
    await assert.rejects(evaluate({ scored: at('scored.csv'), ...given, signal: AbortSignal.abort() }), {
      code: 'interrupted',
    });
  });

  it('shows the figures of the report with which a folder was scored, unless it was trained again', async t => {
    const home = await ownTrainedHome(t);
    const personas = Array.from({ length: 60 }, (_, i) => `p${i},${i % 50},Basic\n`);
    const { cwd, evaluated } = await bench(t, {
      'a.csv': `id,monthly amount,plan,__proto__\n${personas.join('').replaceAll('\n', ',1\n')}`,
    });
    const score = ['score', 'a*.csv', '--report', 'one', '-o', 'out/{name}.csv', '--home', home];
    await exits(rowcast(score, { cwd }), 0);
    const { classes = [], quality } = await readReport(home, 'one');
    await writeFile(
      join(cwd, 'labels.csv'),
      `id,outcome\n${personas.map((_, i) => `p${i},${classes[i % 2]}\n`).join('')}`,
    );
    const args = `out --labels labels.csv --key id --home ${home}`;
    const { report, testing, predicts } = await evaluated(args);
    assert.deepEqual([report, predicts, testing?.accuracy], ['one', 'outcome', Object(quality).accuracy]);
    await writeFile(join(home, 'h.csv'), csv(history({ rows: 300 })));
    await trainReport({
      ...{ historyFile: join(home, 'h.csv'), predict: 'outcome', home, id: 'one' },
      ...{ ifExists: 'replace', seed: 7 },
    });
    assert.equal((await evaluated(`${args} --predict outcome`)).testing, null);
  });

  it('evaluates each value of a column, and another evaluation beside', async t => {
    const { evaluated } = await bench(t);
    const first = await evaluated(`scored.csv ${BY_KEY} --summary first.json --by plan`);
    const [segments] = first.segments;
    assert.deepEqual(
      segments?.values.map(({ value, rows }) => [value, rows]),
      [
        ['basic', 26],
        ['pro', 14],
      ],
    );
    const { earlier } = await evaluated(`scored.csv ${BY_KEY} --earlier first.json`);
    assert.equal(earlier?.differences.auc?.value, 0);
  });

  it('writes a page, and metrics', async t => {
    const { evaluated, read } = await bench(t);
    await evaluated(`scored.csv ${BY_KEY} --html page.html --metrics m.prom`);
    assert.match(await read('page.html'), /^<!doctype html>/i);
    assert.match(await read('m.prom'), /^rowcast_evaluation_figure\{.*figure="auc"\} 0\.\d+$/m);
  });

  it('ends with 3 if a limit is not kept, and says by how much, and whether that may be chance', async t => {
    const { run, cwd } = await bench(t);
    await exits(run(`scored.csv ${BY_KEY} --min-auc 0.5 --max-log-loss 9 --max-calibration-error 99%`), 0);
    await exits(
      run(
        `scored.csv ${BY_KEY} --min-auc 0.999 --max-log-loss 0.1 --max-calibration-error 0% --summary s.json`,
      ),
      3,
      /the AUC is 0\.\d+, 0\.\d+ below --min-auc 0\.999; its interval, .* does not include the limit/,
      /the log loss is .* above --max-log-loss 0\.1.*; the calibration error is .* \[beyond_limit\]/,
    );
    assert.ok((await stat(join(cwd, 's.json'))).size > 0);
    await writeFile(join(cwd, 'amounts.csv'), 'predicted_amount,amount\n1,2\n');
    await exits(
      run('amounts.csv --predict amount --max-log-loss 1'),
      2,
      /predictions are numbers.*\n.*limits are for probabilities\. --summary/,
    );
    await writeFile(join(cwd, 'labels.csv'), 'id,left\nC1,\n');
    await exits(
      run(`scored.csv ${BY_KEY} --min-auc 0.5`),
      3,
      /the AUC is not known, so --min-auc 0\.5 is not kept: no row has a label/,
    );
  });

  it('evaluates numbers, and predictions of labels if their classes are given', async t => {
    const { evaluated } = await bench(t, {
      'numbers.csv': 'id,predicted_amount\na,10\nb,20.5\nc,\n',
      'amounts.csv': 'id,amount\na,12\nb,20.5\nc,4\nd,n/a\n',
      'classes.csv': 'id,predicted_left\nC1,yes\nC2,no\n',
    });
    const numbers = await evaluated('numbers.csv --labels amounts.csv --key id --predict amount');
    assert.equal(numbers.kind, 'numbers');
    assert.equal(numbers.figures.mae?.value, 1);
    assert.deepEqual(numbers.coverage.invalid, 1);
    const labels = await evaluated(`classes.csv ${BY_KEY} --classes no,yes`);
    assert.equal(labels.coverage.labelled, 2);
  });

  it('is described by a section of a definition, which run leaves alone', async t => {
    const job = `score: { input: in.csv, output: out.csv, report: r }\nevaluate: { scored: scored.csv, labels: labels.csv, key: id, predict: left, min-auc: 0.999 }\n`;
    const { run } = await bench(t, { 'job.yaml': job });
    await exits(run('--definition job.yaml'), 3);
    await exits(run('--definition job.yaml --min-auc 0.1'), 0);
    const { refused } = await bench(t, {
      'job.yaml': 'score: { input: in.csv, report: r }\n',
      'other.yaml': job.replace('scored.csv', '/etc/scored.csv'),
    });
    await refused('--definition job.yaml', /the definition has no section evaluate/);
    await refused(
      '--definition other.yaml',
      /evaluate\.scored: the definition would read \/etc\/scored\.csv/,
    );
  });

  it('refuses what cannot be joined, and says what to do', async t => {
    const { refused } = await bench(t, {
      'short.csv': 'left\nyes\n',
      'broken.csv': 'id,left\nC1,yes\nC2\n',
      'one.csv': 'id,probability_yes\nC1,0.5\n',
      'plain.csv': 'id,note\nC1,a\n',
      'amount.csv': 'id,predicted_amount\nC1,5\n',
    });
    await refused(
      'scored.csv --labels labels.csv --predict left',
      /nothing says which label is whose/,
      /--by-row/,
    );
    await refused('scored.csv --key id --predict left', /--key needs --labels/);
    await refused(
      'scored.csv --labels short.csv --by-row --predict left',
      /1 label cannot be joined in order to 40 scored rows/,
    );
    await refused(
      'scored.csv --labels labels.csv --key ID --predict left',
      /--key: there is no column "ID"/,
      /Did you mean "id"/,
    );
    await refused(
      'scored.csv --labels labels.csv --key id --predict gone',
      /labels\.csv: --predict: there is no column "gone"/,
    );
    await refused(`scored.csv --by region ${BY_KEY}`, /--by: there is no column "region"/);
    await refused(
      'scored.csv --labels broken.csv --key id --predict left',
      /broken\.csv:3: .*too_few_fields/,
    );
    await refused(`one.csv ${BY_KEY}`, /the probability of one class only/, /--classes no,yes/);
    await refused(`plain.csv ${BY_KEY}`, /the file has no predictions/, /"id", "note"/);
    await refused(`scored.csv ${BY_KEY} --earlier labels.csv`, /labels\.csv: the file is no evaluation/);
    await refused(
      'scored.csv --predict left',
      /the scored file has no column "left" with what came true/,
      /--labels FILE --key COLUMN/,
    );
    await refused(
      'amount.csv --labels labels.csv --key id --predict amuont',
      /neither .* nor "predicted_amuont"/,
      /Did you mean --predict amount\?/,
    );
    await refused(`- --labels - --key id --predict left`, /stdin cannot be both/);
    await refused(`scored.csv ${BY_KEY} --max-calibration-error 5`, /expected a percentage, such as 5%/);
  });
});
