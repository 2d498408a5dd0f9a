import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { unsupportedFiles } from '../../src/base/unsupported-files.ts';
import { train } from '../../src/library/train.ts';
import { newFolder, sharedFolder } from '../support/folder.ts';
import { parquetOf } from '../support/parquet.ts';
import { root } from '../support/root.ts';
import { bin } from '../support/rowcast.ts';

/**
 * How each place of src that makes a command for a message begins, without spaces, and the tests below, or the files of tests, that run
 * what is printed there; none if nothing runs it yet. A new place has to be run by a test, and listed here.
 */
const places: Readonly<Record<string, readonly string[]>> = {
  '${commandLine}${others}`);thrown': [],
  '${commandLine}`),finished(summar': [],
  '${commandLine}`);throwerror;}fin': [],
  "${commandLine}`:'';log.info({eve": ['test/crash/signals.slow.test.ts'],
  "7zx-so${file}>${made}`,suffix:'c": ['a conversion'],
  'awss3cp${shellWord(url)}-`,gs:ur': [],
  'azstorageblobdownload--only-show': [],
  "checkHint(file,'gzip-t'),isUnfin": ['a check'],
  "checkHint(file,'zstd-t'),...more": ['a check'],
  "commandOf('assemble',words)}`;}": ['test/cli/printed-commands.slow.test.ts'],
  "commandOf('cancel',[sharding.fol": [],
  "commandOf('check',[file])}`;thro": ['a command of a hint'],
  "commandOf('keys',['revoke',name,": ['a command of a hint'],
  "commandOf('keys',homeFlag(home))": ['a command of a hint'],
  "commandOf('report',[report,...se": ['test/cli/printed-commands.slow.test.ts'],
  "commandOf('run',[file,...given])": ['a command of a hint'],
  "commandOf('status',[output.name]": ['test/cli/commands/verify.test.ts'],
  "commandOf('train',['HISTORY.csv'": [],
  "commandOf('verify',[fileIn(first": ['a command of a hint'],
  "commandOf('work',['--queue',queu": [],
  "commandOf('work',[...words,'--sh": ['test/cli/printed-commands.slow.test.ts'],
  "commandOf('work',[folder.path,'-": [],
  "commandOf('work',words)}oreachas": ['test/cli/printed-commands.slow.test.ts'],
  'commandOf(command,words))as[stri': ['test/cli/printed-commands.slow.test.ts'],
  'commandOf(next,[folder.path,...s': [],
  'commandsOf(missing,workCommand)}': [],
  'commandsOf(numbers,workCommand)}': [],
  'curl-fsS${quoted(`${origin}/user': [],
  'curl-fsSL${shellWord(url)}`,http': [],
  'curl-fsSL${shellWord(url)}`,};ex': [],
  'duckdb-c${shellWord(`COPY(FROMre': ['a conversion'],
  "fastavro${file||'-'}`},suffixes:": [],
  'filteredBy(file,"jq-c\'.[]\'"),exa': ['test/formats/filtered-by.slow.test.ts'],
  'filteredBy(file,"sed\'s/,[[:space': ['test/formats/filtered-by.slow.test.ts'],
  "filteredBy(file,'jq-c.'),example": ['test/formats/filtered-by.slow.test.ts'],
  'filteredBy(file,...asLines(heade': ['test/formats/filtered-by.slow.test.ts'],
  'filteredBy(file,...withIndexName': ['test/formats/filtered-by.slow.test.ts'],
  'filteredBy(file,...withoutEmpty(': ['test/formats/filtered-by.slow.test.ts'],
  'filteredBy(file,...withoutLast(h': ['test/formats/filtered-by.slow.test.ts'],
  'filteredBy(file,`jq-c${shellWord': ['test/formats/filtered-by.slow.test.ts'],
  'gcloudstoragecat${shellWord(url)': [],
  'gitlfssmudge${file&&`<${file}`}`': [],
  'iconv-f${nameForIconv(this.#enco': ['test/formats/filtered-by.slow.test.ts'],
  'jq-c${shellWord(`${jqPath(listIn': ['a conversion'],
  'jq-c${shellWord(`${path}[]`)}`)}': ['test/formats/filtered-by.slow.test.ts'],
  'jq-c.${file}`.trim()},},];functi': ['a conversion'],
  "npminstall${all.join('')}(with-g": [],
  'pathWord(folder)}`,},);}constisM': ['a command of a hint'],
  'pathWord(home)}`,);}': [],
  'pathWord(made))}`;}': ['a conversion'],
  'pathWord(name),first):pipeOf(nam': ['a conversion'],
  'pathWord(name),pathWord(made))}`': ['a conversion'],
  'pipeOf(name,[...decodedBy,...fil': ['test/formats/filtered-by.slow.test.ts'],
  'pipeOf(name,[...decodedBy,conver': [],
  'pipeOf(name,[command])}`;': [],
  'python3-c"importsys,${modules};$': ['a conversion'],
  'repairCommands(stored.length===0': ['test/cli/printed-commands.slow.test.ts'],
  'rowcast${command.name}-hshowshow': [],
  'rowcast${name}--helpshowsallopti': [],
  'rowcast${words.map(shellWord).jo': [],
  'rowcastforzsh,aftercompinit:sour': ['test/cli/help/completion.test.ts'],
  'rowcastscorepersonas.csv--report': [],
  'source<(rowcastcompletionbash)_r': ['test/cli/help/completion.test.ts'],
  'sqlite3-readonly-header-csv${fil': ['a conversion'],
  "tar-xOf${file||'-'}`},suffixes:[": ['a conversion'],
  "unzip-p${file}`)},suffixes:['zip": ['a conversion'],
  'workCommand(part.shard)}`,);}}as': [],
  "xlsx2csv${file||'-'}`},suffixes:": ['a conversion'],
};

const COMMENT = /\/\*\*.*?\*\/|^[ \t]*\/\/[^\n]*$/gms;

/** Where a command gets its arguments: a call of what quotes them, or the name of a program before a value. */
const PLACE =
  /(?<!function |const )\b(?:commandOf|commandsOf|filteredBy|pipeOf|checkHint|pathWord|workCommand|repairCommands)\(|\$\{commandLine\}|(?<=[`: ])(?:rowcast (?:\$\{(?:name|words|command\.name)|[a-z]+ [^`']*-[^`']*\$\{)|source <\(|(?:curl|duckdb|sqlite3|python3|unzip|git|npm|7z|tar|jq|iconv|aws|gcloud|az|fastavro|xlsx2csv) [^`']*\$\{)/g;

const header = 'customer,contract,tenure';
const rows = Array.from({ length: 12 }, (_, n) => `P-${n},${n % 3 ? 'rolling' : '12 months'},${n}`);
const table = `${[header, ...rows].join('\n')}\n`;
const objects = rows.map(row => {
  const [customer, contract, tenure] = row.split(',');
  return { customer, contract, tenure: Number(tenure) };
});
const asWord = (name: string): string => `'${name.replaceAll("'", "'\\''")}'`;
const has = (command: string): boolean => spawnSync('sh', ['-c', command]).status === 0;
/** Names that a shell, `printf`, sed or an option could take for something else. */
const stems = ['a b', `it's $HOME "x" \`y\` %s`, '-x'];

let home = '';
let env: Record<string, string> = {};
/** The output for the table. */
let wanted = '';

before(async () => {
  const folder = await sharedFolder();
  home = join(folder, 'my home');
  const history = Array.from({ length: 300 }, (_, n) => `${rows[n % 12]},${n % 3 ? 'yes' : 'no'}`);
  await writeFile(join(folder, 'history.csv'), `${header},left\n${history.join('\n')}\n`);
  await train({ history: join(folder, 'history.csv'), predict: 'left', report: 'left', home });
  await mkdir(join(folder, 'bin'));
  const command = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
  await writeFile(join(folder, 'bin/rowcast'), command, { mode: 0o755 });
  env = {
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    ROWCAST_HOME: home,
    HOME: '/nowhere',
  };
  await writeFile(join(folder, 'in.csv'), table);
  assert.equal(spawnSync('sh', ['-c', `rowcast score in.csv ${columns}`], { cwd: folder, env }).status, 0);
  wanted = await scoresIn(folder);
});

interface Said {
  code: number;
  said: string;
}

/** A folder in which `sh`, which may know less than bash, runs lines as they are printed. */
async function bench(t: TestContext) {
  const folder = await newFolder(t);
  const sh = (line: string): Promise<Said> =>
    new Promise(done => {
      const child = execFile('sh', ['-c', line], { cwd: folder, env }, (error, stdout, stderr) =>
        done({ code: Number(error?.code ?? 0), said: stdout + stderr }),
      );
      child.stdin?.end();
    });
  /** @returns what it said */
  const succeed = async (line: string): Promise<string> => {
    const { code, said } = await sh(line);
    assert.equal(code, 0, `${line}\n${said}`);
    return said;
  };
  /** What is printed after a text on a line, by a command. */
  const printedBy = async (line: string, after: RegExp): Promise<string> => {
    const { said } = await sh(line);
    const found = new RegExp(`${after.source}(.*)$`, 'm').exec(said);
    return found?.at(-1) ?? assert.fail(`${line}\n${said}`);
  };
  const write = (name: string, bytes: string | Buffer) => writeFile(join(folder, name), bytes);
  return { folder, sh, succeed, printedBy, write };
}

type Bench = Awaited<ReturnType<typeof bench>>;

const columns = '--report left --keep customer --output-format csv -o out.csv --if-exists replace';

/** Asserts that an input, or what a printed pipe makes, has the rows of the table, with their predictions. */
async function assertScores({ folder, succeed }: Bench, input: string, more = ''): Promise<void> {
  const score = `rowcast score ${columns} --quiet`;
  await succeed(
    input.includes('rowcast …') ? input.replace('rowcast …', `${score} ${more} -`) : `${score} ${input}`,
  );
  assert.equal(await scoresIn(folder), wanted, input);
}

/** A mark of the byte order and quotes around names stay as they are. */
const scoresIn = async (folder: string): Promise<string> =>
  (await readFile(join(folder, 'out.csv'), 'utf8')).replaceAll(/[\ufeff"]/g, '');

/** By kind, the command that makes `$1` of the table, which is in in.csv and in.jsonl, and what it and the conversion need. */
const makers: Readonly<Record<string, readonly [make: string, needs: string]>> = {
  'compressed with gzip': ['gzip -c in.csv | gzip > "$1"', 'gzip --version'],
  'compressed with zstd': ['zstd -qc in.csv | gzip > "$1"', 'zstd --version'],
  'compressed with xz': ['xz -c in.csv > "$1"', 'xz --version'],
  'compressed with lz4': ['lz4 -qc in.csv > "$1"', 'lz4 --version'],
  'compressed with bzip2': ['bzip2 -c in.csv > "$1"', 'command -v bzip2'],
  'compressed with zlib': [
    `python3 -c 'import sys, zlib; open(sys.argv[1], "wb").write(zlib.compress(open("in.csv", "rb").read()))' "$1"`,
    'pigz --version',
  ],
  'compressed with Snappy': ['python3 -m snappy -c in.csv "$1"', 'python3 -c "import snappy"'],
  'a zip archive': ['python3 -m zipfile -c a.zip in.csv; mv a.zip "./$1"', 'command -v unzip python3'],
  'a tar archive': ['tar -cf a.tar --format ustar in.csv; mv a.tar "./$1"', 'command -v tar'],
  'a 7z archive': ['7z a a.7z in.csv; mv a.7z "./$1"', 'command -v 7z'],
  'a SQLite database': ['sqlite3 a.db ".import --csv in.csv t"; mv a.db "./$1"', 'command -v sqlite3'],
  'a DuckDB database': [`duckdb a.db "CREATE TABLE t AS FROM 'in.csv'"; mv a.db "./$1"`, 'command -v duckdb'],
  'a JSON array of objects': ['jq -cs . in.jsonl > "$1"', 'command -v jq'],
  'a JSON array of arrays': [
    'jq -cs "[(.[0] | keys_unsorted)] + map([.[]])" in.jsonl > "$1"',
    'command -v jq',
  ],
  'JSON with its rows in a list of one object': [`jq -s '{"of $x": .}' in.jsonl > "$1"`, 'command -v jq'],
  'JSON with an object on several lines': ['jq . in.jsonl > "$1"', 'command -v jq'],
  ...Object.fromEntries(
    Object.entries({
      'an Arrow file (Feather)': 'f.to_feather(p)',
      'an Arrow stream':
        'import pyarrow; t = pyarrow.Table.from_pandas(f); w = pyarrow.ipc.new_stream(p, t.schema); w.write(t); w.close()',
      'an ORC file': 'f.to_orc(p)',
      'a pickle of Python': 'f.to_pickle(p, compression=None)',
      XML: 'f.to_xml(p, index=False, parser="etree")',
    }).map(([is, code]) => [
      is,
      [
        `python3 -c 'import sys, pandas; p = sys.argv[1]; f = pandas.read_csv("in.csv"); ${code}' "$1"`,
        `python3 -c 'import pandas, pyarrow${is === 'XML' ? ', lxml' : ''}'`,
      ] as const,
    ]),
  ),
};

describe('a conversion', { concurrency: 2 }, () => {
  for (const { is, conversion } of unsupportedFiles)
    if (conversion !== undefined)
      it(`of what is ${is} gives its rows`, async t => {
        const { [is]: maker } = makers;
        if (maker === undefined) return t.skip('no program here makes such a file');
        const [make, needs] = maker;
        if (!has(needs)) return t.skip(`missing here: ${needs}`);
        const all = await bench(t);
        const { folder, succeed, printedBy, write } = all;
        await write('in.csv', table);
        await write('in.jsonl', objects.map(object => `${JSON.stringify(object)}\n`).join(''));
        for (const name of stems) {
          const input = `./${name}`;
          await succeed(`set -- ${asWord(name)}; ${make.replaceAll('"$1"', '"./$1"')}`);
          const score = `rowcast score --report left -o out.csv --if-exists replace`;
          const shown = await printedBy(`${score} ${asWord(input)}`, /(?:as the input|the new file): /);
          if ('write' in conversion) {
            await succeed(
              shown.replace("'SELECT * FROM TABLE'", "'SELECT * FROM t'").replace("'FROM TABLE'", "'FROM t'"),
            );
            await assertScores(all, asWord(`${input}.${conversion.suffix}`));
            continue;
          }
          await assertScores(all, shown);
          const piped = await printedBy(`${score} - < ${asWord(input)}`, /as the input: /);
          assert.match(piped, /^… \| /);
          if (!piped.includes('bsdtar') || has('bsdtar --version'))
            await assertScores(all, piped.replace('…', `cat ${asWord(input)}`));
        }
        assert.ok(folder);
      });

  it('of large groups of Parquet by DuckDB gives its rows', async t => {
    if (!has('command -v duckdb')) return t.skip('duckdb is missing here');
    const all = await bench(t);
    for (const stem of [...stems, 'a[1]*']) {
      const name = `./${stem}.parquet`;
      await all.write(name, await parquetOf(table));
      const line = `rowcast score ${columns} --max-group-bytes 1 ${asWord(name)}`;
      await assertScores(all, await all.printedBy(line, /as the input: /));
    }
  });
});

describe('a check', () => {
  for (const [suffix, program, compress] of [
    ['.gz', 'gzip', 'gzip -c'],
    ['.zst', 'zstd', 'zstd -qc'],
  ] as const)
    it(`by ${program} finds the damage of the file that is named, whatever it is called`, async t => {
      if (!has(`command -v ${program}`)) return t.skip(`${program} is missing here`);
      const { folder, sh, printedBy, write, succeed } = await bench(t);
      await write('in.csv', table.repeat(400));
      await succeed(`${compress} in.csv > whole`);
      const whole = await readFile(join(folder, 'whole'));
      for (const name of [...stems.map(stem => `${stem}.csv${suffix}`), 'of no suffix.csv']) {
        await write(name, whole.subarray(0, -20));
        const check = await printedBy(`rowcast score ${columns} ${asWord(`./${name}`)}`, /to check it: /);
        assert.notEqual((await sh(check)).code, 0, check);
        await write(name, whole);
        await succeed(check);
      }
      await writeFile(join(folder, 'cut'), whole.subarray(0, -20));
      const piped = await printedBy(
        `cat cut | rowcast score ${columns.replace('out.csv', 'other.csv')} -`,
        /to check it: /,
      );
      assert.notEqual((await sh(piped.replace('…', 'cat cut'))).code, 0);
    });
});

describe('a command of a hint', () => {
  it('does what it says', async t => {
    const all = await bench(t);
    const { printedBy, succeed, sh, write, folder } = all;
    const own = `--home ${asWord("my 'home'")}`;
    await succeed(`rowcast keys add x ${own}`);
    await succeed(await printedBy(`rowcast keys add x ${own}`, /revoke the existing key: /));
    assert.match(await printedBy(`rowcast keys revoke x ${own}`, /existing keys with: /), /--home/);
    await succeed(await printedBy(`rowcast keys revoke x ${own}`, /existing keys with: /));

    await write('in.csv', table);
    const job = `job's $1.yaml`;
    await write(job, 'score: {inptu: in.csv, model: left}\n');
    assert.match(
      (await sh(await printedBy(`rowcast run ${asWord(job)}`, /more problem.*: /))).said,
      /did you mean report/,
    );

    const history = `train: {history: h.csv, predict: left, report: other}\n`;
    await write(
      'h.csv',
      table
        .replace(header, `${header},left`)
        .replaceAll(/,(\d+)$/gm, ',$1,$1')
        .replaceAll(/[02468]$/gm, '1'),
    );
    await write(job, `${history}score: {input: in.csv, report: other, output: out.csv}\n`);
    const run = await printedBy(`rowcast plan ${asWord(job)} ${own}`, /which this does: /);
    assert.match(run, /--home/);

    await succeed('mkdir sub');
    const outside = `cd sub && rowcast score ../in.csv --report left -o ${asWord(`${folder}/of it's/to $HOME/out.csv`)}`;
    await succeed(await printedBy(outside, /create the folder: /));
    await succeed(outside);

    await succeed(
      `mkdir "in it's"; cp in.csv "in it's/"; rowcast score "in it's/*.csv" --report left -o 'of $1/{name}.csv'`,
    );
    await succeed(await printedBy(`rowcast verify "in it's" 'of $1'`, /quote patterns: /));
  });
});

it('each place of src that makes a command for a message is listed with the tests that run it', async () => {
  const found = new Set<string>();
  for (const path of await readdir(join(root, 'src'), { recursive: true })) {
    if (!path.endsWith('.ts')) continue;
    const code = (await readFile(join(root, 'src', path), 'utf8')).replaceAll(COMMENT, '');
    for (const { index } of code.matchAll(PLACE))
      found.add(
        code
          .slice(index, index + 100)
          .replaceAll(/\s+/g, '')
          .slice(0, 32),
      );
  }
  for (const name of Object.values(places).flat()) if (name.endsWith('.ts')) await access(join(root, name));
  assert.deepEqual([...found].sort(), Object.keys(places).sort());
});
