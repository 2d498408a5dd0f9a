import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { inputBench as bench } from '../support/cli/input-bench.ts';
import { parquetOf } from '../support/parquet.ts';
import { exits } from '../support/rowcast.ts';

const ROWS = Array.from({ length: 30 }, (_, row) => `${row},${row * 7}.5,x${row}\n`).join('');
const HEADER = 'age,pay,city\n';

describe('an input whose rows are all malformed stops the run, with its cause and what to do', () => {
  const cases: Record<string, { text: Buffer | string; name?: string; says: RegExp; does: RegExp }> = {
    'a delimiter at the end of each line, with CRLF': {
      text: (HEADER + ROWS.replaceAll('\n', ',\n')).replaceAll('\n', '\r\n'),
      says: /one field more than the header, and it is empty/,
      does: /tr -d '\\r' < in\.csv \| sed 's\/,\$\/\/'/,
    },
    'a title with a comma before the header': {
      text: `Report, of 2026\n${HEADER}${ROWS}`,
      says: /line 2 has 3 columns, as the rows after it have/,
      does: /--skip-lines 1/,
    },
    'fields that are too many and, more often, too few': {
      text: `${HEADER}1,2,3,4,5\n${'1,2\n'.repeat(9)}`,
      says: /in\.csv:3: all of the first 10 rows are malformed: most often, the record has 2 fields, the header 3 \(line 3\); also, the record has 5 fields, the header 3 \(line 2\)/,
      does: /--delimiter/,
    },
    'a delimiter at the end of most lines': {
      text: `${HEADER}1,"x"y,2\n${ROWS.replaceAll('\n', ',\n')}`,
      says: /in\.csv:3: .*malformed: most records have one field more than the header, and it is empty/,
      does: /sed 's\/,\$\/\/' < in\.csv/,
    },
    'another encoding under a header in ASCII': {
      text: Buffer.from(HEADER + ROWS.replaceAll('x', 'é'), 'latin1'),
      says: /not valid UTF-8/,
      does: /--encoding windows-1252/,
    },
    'commas after objects': {
      text: '{"age":1},\n'.repeat(9),
      name: 'in.jsonl',
      says: /the lines end with a comma/,
      does: /sed 's\/,\[\[:space:\]\]\*\$\/\/' < in\.jsonl/,
    },
    'too many fields in more than half of them': {
      text: HEADER + ROWS + '1,2,3,4,5\n'.repeat(31),
      says: /31 of the first 61 rows are malformed: the record has 5 fields, the header 3/,
      does: /--delimiter/,
    },
  };
  for (const [title, { text, name = 'in.csv', says, does }] of Object.entries(cases))
    it(title, async t => {
      const { score, cwd, output } = await bench(t, text, name);
      await writeFile(join(cwd, output), 'yesterday');
      const columns = name.endsWith('.jsonl') ? '--features age' : '';
      await exits(score(columns), 3, says, does);
      assert.equal(await readFile(join(cwd, output), 'utf8'), 'yesterday');
    });

  it('unless --max-rejects allows it', async t => {
    const { score, read } = await bench(t, HEADER + ROWS.replaceAll('\n', ',\n'));
    await exits(score('--max-rejects 100% --classes no,yes'), 1);
    assert.equal((await read('out.csv')).split('\n').length, 2);
  });

  it('leaves no unfinished run if no row was scored, so that the corrected input is scored', async t => {
    const { run, score, cwd } = await bench(t, `${HEADER}1,2,x,y\n3,4,z,w\n`);
    const stopped = await exits(score(), 3);
    assert.doesNotMatch(stopped.stderr, /to resume/);
    await writeFile(join(cwd, 'in.csv'), `${HEADER}1,2,x\n3,4,z\n`);
    await exits(score(), 0);
    await exits(run('verify in.csv out.csv'), 0);
  });

  it('but not a run with fewer of them', async t => {
    const { score } = await bench(t, `${HEADER}1\n2\n${ROWS}`);
    await exits(score(), 1);
  });

  it('nor that of rejects of which few were corrected', async t => {
    const { score, run } = await bench(t, `${HEADER}${'1\n'.repeat(9)}${ROWS}${ROWS}`);
    await exits(score(), 1);
    const args = 'score out.csv.rejects --report r --classes no,yes -o again.csv';
    await exits(run(args), 1);
  });
});

describe('a header line among the rows', () => {
  it('is a reject, also after a byte order mark, with other line endings and quotes, and in a later gzip member', async t => {
    const part = HEADER + ROWS;
    const quoted = '"age","pay","city"\r\n';
    const { score, verify, read } = await bench(
      t,
      Buffer.concat([gzipSync(`${part}\ufeff${part}${quoted}1,2,x\n`), gzipSync(part)]),
      'in.csv.gz',
    );
    await exits(score('-o out.csv'), 1, /91 rows scored, 3 rejected \(3 × repeated_header\)/);
    const rejects = await read('out.csv.rejects');
    assert.deepEqual(rejects.match(/^\d+,\d+,\w+/gm), [
      '31,32,repeated_header',
      '62,63,repeated_header',
      '64,65,repeated_header',
    ]);
    await exits(verify(), 2);
  });

  it('verifies, and stays a reject when the rejects are scored again', async t => {
    const { score, verify, run } = await bench(t, `${HEADER}${ROWS}\ufeff${HEADER}${ROWS}${HEADER}`);
    await exits(score(), 1);
    await exits(verify(), 0);
    const args = 'score out.csv.rejects --report r --classes no,yes -o again.csv';
    const again = await run(args);
    assert.match(again.stderr, /0 rows scored, 2 rejected \(2 × repeated_header\)/);
  });

  it('is one in another letter case, and with spaces or quotes around its names', async t => {
    const headers = [
      'AGE,Pay,CITY\n',
      ' "age" , pay ,city\n',
      'age\t, pay,city\r\n',
      '"Age","Pay ","City"\n',
    ];
    const { score, read } = await bench(t, HEADER + ROWS + headers.join('') + ROWS);
    await exits(score(), 1, /60 rows scored, 4 rejected \(4 × repeated_header\)/);
    assert.doesNotMatch(await read('out.csv'), /\n.*pay/i);
    const turned = await bench(t, `${HEADER}${ROWS}City, Age,PAY\n${ROWS}`);
    assert.match((await turned.score()).stderr, /in\.csv:32: .* same columns in another order/);
    const single = await bench(t, 'comment\ngood\nComment\n');
    await exits(single.score(), 0);
    const letters = await bench(t, 'p1,p2,p3\nq1,q2,q3\nP1,P2,P3\n');
    await exits(letters.score(), 0);
    const alike = await bench(t, 'a,A,b\n1,2,3\nA,a,b\n');
    assert.match((await alike.score()).stderr, /in\.csv:3: .* same columns in another order/);
  });

  it('is a row if it has one or two columns, and their names are in another letter case or order', async t => {
    for (const rows of ['male,yes\nfemale,no\n', 'YES,MALE\nYes,Male\n']) {
      const { score } = await bench(t, `Male,Yes\n${rows}`);
      await exits(score(), 0);
    }
    const { score } = await bench(t, 'Male,Yes\nmale,yes\nMale,Yes\n');
    assert.match((await score()).stderr, /1 rejected \(1 × repeated_header\)/);
  });

  it('stops the run if its columns are in another order', async t => {
    const { score, cwd } = await bench(t, `${HEADER}${ROWS}city,age,pay\n${ROWS}`);
    await exits(
      score(),
      3,
      /in\.csv:32: this line is a header with the same columns in another order/,
      /make two files of the input, .*or put the columns/,
    );
    assert.ok(!existsSync(join(cwd, 'out.csv')));
  });

  it('is none if its names are numbers, or only some of them are names', async t => {
    const { score } = await bench(t, `0,1,2\n0,1,2\n2,1,0\n`);
    await exits(score(), 0);
    const other = await bench(t, `${HEADER}age,pay,x\n`);
    await exits(other.score(), 0);
  });

  it('is left out by train, which notes it, and a class of few rows with its line', async t => {
    const history = `age,plan\n${Array.from({ length: 60 }, (_, row) => `${row * row},${row % 2 ? 'a' : 'b'}\n`).join('')}`;
    const { run } = await bench(t, `${history}${history}3000,Total\n`);
    await exits(
      run('train in.csv --predict plan --report r'),
      0,
      /Left out 1 repeated header line\./,
      /classes with fewer than five rows: "Total" \(1 row, line 123\)/,
    );
  });
});

describe('a record without any value', () => {
  const empty = ',,\n';

  it('is a reject, quoted or not, and at the end of the file; the output verifies', async t => {
    const { score, verify, read } = await bench(
      t,
      `${HEADER}${ROWS}${empty}1,,\n"",,""\r\n,"""",\n,,,\n${empty}${empty.trim()}`,
    );
    await exits(score(), 1, /32 rows scored, 5 rejected \(5 × empty_record\)/);
    const padded = await bench(t, `${HEADER}${ROWS} , ,  \n   ,,\n"",  ,""\n , x,\n`);
    assert.match((await padded.score()).stderr, /31 rows scored, 3 rejected \(3 × empty_record\)/);
    await exits(padded.verify(), 0);
    const lines = [...(await read('out.csv.rejects')).matchAll(/^\d+,(\d+),empty_record,/gm)];
    assert.deepEqual(
      lines.map(([, line]) => Number(line)),
      [32, 34, 36, 37, 38],
    );
    await exits(verify(), 0);
  });

  it('stays a reject when the rejects are scored again, and is scored when it was corrected', async t => {
    const { score, verify, run, read, cwd } = await bench(t, `${HEADER}${ROWS}${empty}"","",\n`);
    await exits(score(), 1);
    const args = 'score out.csv.rejects --report r --classes no,yes -o again.csv';
    const again = await run(args);
    assert.match(again.stderr, /0 rows scored, 2 rejected \(2 × empty_record\)/);
    assert.match(again.stderr, /correct them in out\.csv\.rejects and run the same command again/);
    const rejects = await read('out.csv.rejects');
    await writeFile(join(cwd, 'out.csv.rejects'), rejects.replace(/,,,$/m, ',,7,'));
    assert.match((await run(`${args} --restart`)).stderr, /1 row scored, 1 rejected/);
    await exits(run('repair out.csv again.csv'), 1);
    assert.match(await read('out.csv'), /^,7,,0\.\d+,0\.\d+$/m);
    await exits(verify(), 0);
  });

  it('stops the run if most rows are such, with the command that leaves them out', async t => {
    const { score } = await bench(t, HEADER + ROWS + empty.repeat(40));
    await exits(
      score(),
      3,
      /40 of the first 70 rows are malformed: the fields of each record are all empty/,
      /grep -v '\^\[ ,"\]\*\$' < in\.csv \| rowcast/,
    );
  });

  it('is a row with a missing value if there is a single column', async t => {
    const { score } = await bench(t, 'age\n1\n\n""\n');
    await exits(score(), 0);
  });

  it('is an object whose members are all null, which stays a reject when it is scored again', async t => {
    const lines = [
      '{"age":null,"pay":null}',
      '{"age":1,"pay":2}',
      'x',
      '{"age": null, "other": NaN}',
      '{"age":null,"id":7}',
      '{"age":3,"pay":4}',
      '{"pay":null}',
      '{"pay":null,"other":null}',
    ];
    const { score, verify, run, read } = await bench(t, `${lines.join('\n')}\n`, 'in.jsonl');
    const columns = '--features age,pay --classes no,yes';
    const says = /4 rows scored, 4 rejected \(3 × empty_record, 1 × bad_json\)/;
    await exits(score(`${columns} --max-rejects 100%`), 1, says);
    assert.match(
      await read('out.jsonl'),
      /^\{"age":1,.*\n\{"age":null,"id":7,.*\n\{"age":3,.*\n\{"pay":null,"p.*\n$/,
    );
    await exits(verify(), 0);
    const again = await run(`score out.jsonl.rejects --report r ${columns} -o again.jsonl`);
    assert.match(again.stderr, /0 rows scored, 4 rejected \(3 × empty_record, 1 × bad_json\)/);
    for (const output of ['out.csv', 'out.parquet']) {
      const converted = await run(
        `score in.jsonl --report r ${columns} -o ${output} --max-rejects 100% --keep age,pay`,
      );
      assert.match(converted.stderr, /4 rows scored, 4 rejected/);
      await exits(run(`verify in.jsonl ${output} --keep age,pay`), 0);
    }
  });

  for (const output of ['out.csv', 'out.jsonl', 'out.parquet'])
    it(`is a reject in Parquet, but a row of the output, whose other columns decide: ${output}`, async t => {
      const rows = [',,', '1,2,a', ',,b', ',,', '3,,'];
      const { run, read, cwd } = await bench(
        t,
        await parquetOf(`age,pay,id\n${rows.join('\n')}\n`),
        'in.parquet',
      );
      const report = '--report r --features age,pay --classes no,yes';
      const says = /3 rows scored, 2 rejected \(2 × unknown_columns\)/;
      await exits(run(`score in.parquet ${report} -o ${output}`), 1, says);
      const rejects = await read(`${output}.rejects`);
      assert.match(
        rejects,
        /1.*1.*unknown_columns.*no column of the row has a value.*\n.*4.*4.*unknown_columns/,
      );
      const verified = await exits(run(`verify in.parquet ${output}`), 0);
      assert.match(verified.stdout + verified.stderr, /5 rows, 3 scored, 2 rejected/);
      const corrected =
        output === 'out.jsonl'
          ? rejects.replace('"age":null', '"age":7')
          : rejects.replace('value,,,', 'value,7,,');
      await writeFile(join(cwd, `${output}.rejects`), corrected);
      const again = `again.${output === 'out.jsonl' ? 'jsonl' : 'csv'}`;
      const second = await run(`score ${output}.rejects ${report} -o ${again}`);
      assert.match(second.stderr, /1 row scored, 1 rejected \(1 × empty_record\)/);
      await exits(run(`repair ${output} ${again}`), 1);
      const after = await run(`verify in.parquet ${output}`);
      assert.match(after.stdout + after.stderr, /5 rows, 4 scored \(1 repaired\), 1 rejected/);
    });

  it('is left out by train, which notes it', async t => {
    const history = `age,plan\n${Array.from({ length: 60 }, (_, row) => `${row % 7},${row % 2 ? 'a' : 'b'}\n`).join('')}`;
    const { run } = await bench(t, `${history},\n,\n`);
    await exits(run('train in.csv --predict plan --report r'), 0, /Left out 2 records without a value\./);
  });
});

describe('a header that is not in the first line', () => {
  const table = HEADER + ROWS;

  it('is found, and is the header with --skip-lines, with which the output verifies', async t => {
    const { run, score, verify, read } = await bench(t, `A report\n# of 2026\r\n\n${table}`);
    await exits(score(), 2, /in\.csv:1: .*\n.*Line 4 has columns.*: use --skip-lines 3\./);
    const missing = await score('--features age,pay');
    assert.match(missing.stderr, /Line 4 has these columns: use --skip-lines 3\./);
    await exits(score('--skip-lines 3'), 0);
    assert.match(await read('out.csv'), /^age,pay,city,probability_no,probability_yes\n0,0\.5,x0,/);
    await exits(verify('--skip-lines 3'), 0);
    await exits(verify(), 4);
    const plan = await run('plan in.csv --report r --skip-lines 3 --json');
    assert.equal(JSON.parse(String(plan.stdout)).rows, 30);
  });

  it('may be left out with it, and named', async t => {
    const { score, read } = await bench(t, `${HEADER}years,EUR,name\n${ROWS}`);
    await exits(score('--skip-lines 2 --names age,pay,city --no-output-header'), 0);
    assert.match(await read('out.csv'), /^0,0\.5,x0,/);
  });

  it('is counted in the lines of rejects, and train reads it', async t => {
    const { run, score, verify, read } = await bench(t, `title\n${table}1,2\n`);
    await exits(score('--skip-lines 1'), 1);
    assert.match(await read('out.csv.rejects'), /^31,33,too_few_fields,/m);
    await exits(verify('--skip-lines 1'), 0);
    const labelled = Array.from({ length: 60 }, (_, row) => `${row % 7},${row % 2 ? 'a' : 'b'}\n`).join('');
    const other = await bench(t, `title\nage,plan\n${labelled}`);
    const args = 'train in.csv --predict plan --report r';
    assert.match((await other.run(args)).stderr, /Line 2 has these columns: use --skip-lines 1\./);
    await exits(other.run(`${args} --skip-lines 1`), 0);
    assert.match(
      (await run('score in.csv --report r --skip-lines 99 -o x.csv')).stderr,
      /--skip-lines: the input has no more than/,
    );
  });

  it('is none, if the first line has values', async t => {
    const { score } = await bench(t, 'M,0.455,15\nF,0.53,9\n');
    await exits(score(), 2, /names in the header look like values .*\n.*--names/);
    const years = await bench(t, 'country,2019,2020,2022\nx,1,2,3\n');
    await exits(years.score(), 0);
  });

  for (const [name, delimiter] of [
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['bars', '|'],
  ] as const)
    it(`has several columns, separated by ${name}, also with decimal commas`, async t => {
      const text = table.replaceAll(',', delimiter).replaceAll('.5', ',5');
      const { score } = await bench(t, text);
      const says =
        /has a single column, .*, but looks like several.*\n {2}The header .* --delimiter \S+\. If it/;
      await exits(score(), 2, says);
      await exits(score(`--delimiter ${delimiter}`), 0);
      const single = await bench(t, `a${delimiter}b\n1\n2\n`);
      await exits(single.score('--delimiter ,'), 0);
    });

  it('is a single column, although each line after it has a semicolon', async t => {
    const { score } = await bench(t, 'comment\nfine; thanks\nbad; slow\nok; ok\n');
    await exits(
      score(),
      2,
      /single column, "comment", but the lines after it look like .*\n {2}If it is a single column, use --delimiter ','\. Otherwise: Line 2 .*--skip-lines 1 --delimiter ';'/,
    );
    await exits(score('--delimiter ,'), 0);
  });

  it('has columns of its own, although those of the next line are as many', async t => {
    const { score } = await bench(t, 'a;b\nfine; thanks\nbad; slow\nok; ok\n');
    assert.doesNotMatch((await score()).stderr, /skip-lines/);
  });
});

describe('a line of units under the header', () => {
  it('is refused by score and train, with a command that removes it', async t => {
    for (const [units, ending] of [
      ['years,EUR,text', '\n'],
      ['"years","EUR",', '\r\n'],
    ] as const) {
      const { score, run } = await bench(t, `age,pay,city\n${units}\n${ROWS}`.replaceAll('\n', ending));
      for (const result of [
        await score(),
        await run('plan in.csv --report r'),
        await run('train in.csv --predict city --report r'),
      ]) {
        assert.equal(result.code, 2, result.stderr);
        const says =
          /in\.csv:2: the line under .* \("years", "EUR"\).*units.*\n {2}.*--nulls years,EUR\..*sed 2d < in\.csv /;
        assert.match(result.stderr + result.stdout, says);
      }
      await exits(score('--nulls years,EUR'), 0);
    }
  });

  it('may have a quoted delimiter, one unit for all columns, blank lines before it, and others after it', async t => {
    for (const [lines, removed] of [
      ['years,"EUR (1,000)",text', '2d'],
      ['EUR,EUR,', '2d'],
      ['\nyears,EUR,text', '3d'],
      ['how old,how much,where\nyears,EUR,\n---,---,---', '2,4d'],
    ] as const) {
      const { score } = await bench(t, `age,pay,city\n${lines}\n${ROWS}`);
      const { stderr } = await exits(score(), 2);
      assert.match(stderr, new RegExp(`as a line of units has.*\\n {2}.*sed ${removed} < in\\.csv`));
    }
  });

  it('is none if it may be a row: with a number, a single text, texts for missing values, or a text of the next rows', async t => {
    const [[, , city = ''] = []] = ROWS.split('\n').map(row => row.split(','));
    for (const line of ['7,EUR,x', 'years,,x', 'unknown,unknown,x', 'NA,null,x', `unknown,missing,${city}`]) {
      const { score } = await bench(t, `age,pay,city\n${line}\n${ROWS}`);
      await exits(score(), 0);
    }
    // The header again is a reject.
    const { score } = await bench(t, `age,pay,city\nAge,Pay,City\n${ROWS}`);
    await exits(score(), 1, /repeated_header/);
  });
});

describe('a column without a name', () => {
  it('is kept and not sent, whether it is excluded or not', async t => {
    const { score, read, verify } = await bench(t, ',age\n0,31\n1,40\n');
    for (const options of ['', '--exclude-features=']) {
      await exits(score(options), 0);
      assert.match(await read('out.csv'), /^,age,probability_no,probability_yes\n0,31,/);
      await exits(verify(), 0);
    }
    assert.match((await score('--features ,age -o x.csv')).stderr, /unique names: \(unnamed\)/);
  });
});
