import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import JSZip from 'jszip';
import { unsupportedFiles } from '../../src/base/unsupported-files.ts';
import { train } from '../../src/library/train.ts';
import { asWord, type Said, shell } from '../support/cli/shell.ts';
import { newFolder, sharedFolder } from '../support/folder.ts';
import { parquetOf } from '../support/parquet.ts';
import { root } from '../support/root.ts';

type Tests = readonly [string, ...string[]];

/**
 * How each place of src that makes a command for a message begins, without spaces, and the tests below, or the files of
 * tests, that run what is printed there, or why none does. A new place has to be run by a test, and listed here.
 */
const places: Readonly<Record<string, Tests | { readonly reason: string }>> = {
  '${commandLine}${others}`);thrown': ['test/crash/signals.slow.test.ts'],
  '${commandLine}`),finished(summar': ['test/crash/signals.slow.test.ts'],
  '${commandLine}`);throwerror;}fin': {
    reason:
      'No test stops the joining of shards by a signal yet; it prints the line that resumed runs print, test/crash/signals.slow.test.ts.',
  },
  "${commandLine}`:'';log.info({eve": ['test/crash/signals.slow.test.ts'],
  "7zx-so${file}>${made}`,suffix:'c": ['a conversion'],
  'awss3cp${shellWord(url)}-`,gs:ur': ['test/base/shell-pipe.test.ts'],
  'azstorageblobdownload--only-show': ['test/base/shell-pipe.test.ts'],
  "checkHint(file,'gzip-t'),isUnfin": ['a check'],
  "checkHint(file,'zstd-t'),...more": ['a check'],
  "commandOf('assemble',words)}`;}": ['test/cli/printed-commands.slow.test.ts'],
  "commandOf('cancel',[sharding.fol": ['test/cluster/queue.cluster.test.ts'],
  "commandOf('check',[file])}`;thro": ['a command of a hint'],
  "commandOf('keys',['revoke',name,": ['a command of a hint'],
  "commandOf('keys',homeFlag(home))": ['a command of a hint'],
  "commandOf('report',[report,...se": ['test/cli/printed-commands.slow.test.ts'],
  "commandOf('run',[file,...given])": ['a command of a hint'],
  "commandOf('status',[output.name]": ['test/cli/commands/verify.test.ts'],
  "commandOf('train',['HISTORY.csv'": ['a command of a hint'],
  "commandOf('verify',[fileIn(first": ['a command of a hint'],
  "commandOf('work',['--queue',queu": ['test/cluster/queue.cluster.test.ts'],
  "commandOf('work',[...words,'--sh": ['test/cli/printed-commands.slow.test.ts'],
  "commandOf('work',[folder.path,'-": ['a command for shards scores what is missing, and what is damaged'],
  "commandOf('work',words)}oreachas": ['test/cli/printed-commands.slow.test.ts'],
  'commandOf(command,words))as[stri': ['test/cli/printed-commands.slow.test.ts'],
  'commandOf(next,[folder.path,...s': ['a command for shards scores what is missing, and what is damaged'],
  'commandsOf(missing,workCommand)}': ['a command for shards scores what is missing, and what is damaged'],
  'commandsOf(numbers,workCommand)}': {
    reason:
      'test/cluster/queue.cluster.test.ts reads them; they are made as those of unfinished shards, which are run.',
  },
  'curl-fsS${quoted(`${origin}/user': ['test/web/report/report-page.test.ts'],
  'curl-fsSL${shellWord(url)}`,http': ['test/base/shell-pipe.test.ts'],
  'curl-fsSL${shellWord(url)}`,};ex': ['test/base/shell-pipe.test.ts'],
  'duckdb-c${shellWord(`COPY(FROMre': ['a conversion'],
  "fastavro${file||'-'}`},suffixes:": ['a conversion'],
  'filteredBy(file,"jq-c\'.[]\'"),exa': ['test/base/shell-pipe.slow.test.ts'],
  'filteredBy(file,"sed\'s/,[[:space': ['test/base/shell-pipe.slow.test.ts'],
  "filteredBy(file,'jq-c.'),example": ['test/base/shell-pipe.slow.test.ts'],
  'filteredBy(file,...asLines(heade': ['test/base/shell-pipe.slow.test.ts'],
  'filteredBy(file,...withIndexName': ['test/base/shell-pipe.slow.test.ts'],
  'filteredBy(file,...withoutEmpty(': ['test/base/shell-pipe.slow.test.ts'],
  'filteredBy(file,...withoutLast(h': ['test/base/shell-pipe.slow.test.ts'],
  'filteredBy(file,`jq-c${shellWord': ['test/base/shell-pipe.slow.test.ts'],
  'gcloudstoragecat${shellWord(url)': ['test/base/shell-pipe.test.ts'],
  'gitlfssmudge${file&&`<${file}`}`': ['a conversion'],
  'iconv-f${nameForIconv(this.#enco': ['test/base/shell-pipe.slow.test.ts'],
  'jq-c${shellWord(`${jqPath(listIn': ['a conversion'],
  'jq-c${shellWord(`${path}[]`)}`)}': ['test/base/shell-pipe.slow.test.ts'],
  'jq-c.${file}`.trim()},},];functi': ['a conversion'],
  "npminstall${all.join('')}(with-g": {
    reason: 'It needs a registry; test/cli/shards/queue-options.test.ts checks its form.',
  },
  'pathWord(folder)}`,},);}constisM': ['a command of a hint'],
  'pathWord(home)}`,);}': ['a command of a hint'],
  'pathWord(made))}`;}': ['a conversion'],
  'pathWord(name),first):pipeOf(nam': ['a conversion'],
  'pathWord(name),pathWord(made))}`': ['a conversion'],
  'pipeOf(name,[...decodedBy,...fil': ['test/base/shell-pipe.slow.test.ts'],
  'pipeOf(name,[...decodedBy,conver': ['a conversion'],
  'pipeOf(name,[command])}`;exportc': ['a check'],
  'python3-c"importsys,${modules};$': ['a conversion'],
  'repairCommands(stored.length===0': ['test/cli/printed-commands.slow.test.ts'],
  'rowcast${command.name}-hshowshow': ['a command of a hint'],
  'rowcast${name}--helpshowsallopti': ['a command of a hint'],
  'rowcast${words.map(shellWord).jo': ['test/crash/signals.slow.test.ts'],
  'rowcastforzsh,aftercompinit:sour': ['test/cli/help/completion.test.ts'],
  'rowcastscorepersonas.csv--report': ['test/web/report/report-page.test.ts'],
  'source<(rowcastcompletionbash)_r': ['test/cli/help/completion.test.ts'],
  'sqlite3-readonly-header-csv${fil': ['a conversion'],
  "tar-xOf${file||'-'}`},suffixes:[": ['a conversion'],
  "unzip-p${file}`)},suffixes:['zip": ['a conversion'],
  'workCommand(part.shard)}`,);}}as': ['a command for shards scores what is missing, and what is damaged'],
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
  env = { ROWCAST_HOME: home, HOME: '/nowhere' };
  await writeFile(join(folder, 'in.csv'), table);
  assert.equal((await shell(`rowcast score in.csv ${columns}`, folder, env)).code, 0);
  wanted = await scoresIn(folder);
});

/** A folder in which a shell runs lines as they are printed. */
async function bench(t: TestContext) {
  const folder = await newFolder(t);
  const sh = (line: string): Promise<Said> => shell(line, folder, env);
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

/**
 * By kind, the command that makes `$1` of the table, which is in in.csv and in.jsonl, and what it and the conversion
 * need.
 */
const makers: Readonly<Record<string, readonly [make: string, needs: string]>> = {
  'an Avro file': [
    `python3 -c 'import csv, sys, fastavro; r = list(csv.DictReader(open("in.csv"))); s = {"type": "record", "name": "r", "fields": [{"name": n, "type": "string"} for n in r[0]]}; fastavro.writer(open(sys.argv[1], "wb"), s, r)' "$1"`,
    'fastavro --version',
  ],
  'a pointer of Git LFS, not the file that it stands for': [
    'git init -q .; git lfs clean < in.csv > "$1"',
    'git lfs version',
  ],
  'an Office document, such as an Excel workbook (.xlsx)': ['cp in.xlsx "$1"', 'xlsx2csv --version'],
  'an OpenDocument spreadsheet (.ods)': ['cp in.ods "$1"', `python3 -c 'import pandas, odf'`],
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

/** A workbook, and a spreadsheet of OpenDocument, in the fewest parts that programs read. */
async function workbooks(): Promise<Record<'in.xlsx' | 'in.ods', Buffer>> {
  const cells = [header, ...rows].map(line => line.split(','));
  const zipOf = (parts: Readonly<Record<string, string>>): Promise<Buffer> => {
    const zip = new JSZip();
    for (const [name, text] of Object.entries(parts)) zip.file(name, text);
    return zip.generateAsync({ type: 'nodebuffer' });
  };
  const each = (write: (texts: readonly string[], row: number) => string): string =>
    cells.map(write).join('');
  const office = 'http://schemas.openxmlformats.org';
  const ods = 'application/vnd.oasis.opendocument.spreadsheet';
  const names = ['office', 'table', 'text'].map(
    name => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  return {
    'in.xlsx': await zipOf({
      '[Content_Types].xml': `<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
      '_rels/.rels': `<Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="rId1" Type="${office}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
      'xl/workbook.xml': `<workbook xmlns="${office}/spreadsheetml/2006/main" xmlns:r="${office}/officeDocument/2006/relationships"><sheets><sheet name="s" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="rId1" Type="${office}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
      'xl/worksheets/sheet1.xml': `<worksheet xmlns="${office}/spreadsheetml/2006/main"><sheetData>${each((texts, row) => `<row r="${row + 1}">${texts.map((text, at) => `<c r="${'ABC'[at]}${row + 1}" t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`)}</sheetData></worksheet>`,
    }),
    'in.ods': await zipOf({
      mimetype: ods,
      'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${ods}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
      'content.xml': `<office:document-content ${names.join(' ')}><office:body><office:spreadsheet><table:table table:name="s">${each(texts => `<table:table-row>${texts.map(text => `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`).join('')}</table:table-row>`)}</table:table></office:spreadsheet></office:body></office:document-content>`,
    }),
  };
}

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
        for (const [name, bytes] of Object.entries(await workbooks())) await write(name, bytes);
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

    const shows = / {2}(?=rowcast score -h shows how to use it\.$)/;
    const help = (await printedBy('rowcast score --nope', shows)).replace(' shows how to use it.', '');
    assert.match(await succeed(help), /rowcast score --help shows all options\.$/m);
    assert.match(await succeed('rowcast score --help'), /--probabilities/);

    const other = `--home ${asWord(`my 'other'`)}`;
    const score = `rowcast score in.csv --report left -o of-other.csv ${other}`;
    const training = await printedBy(score, /Train one first: /);
    const labelled = rows.map((row, n) => `${row},${n % 3 ? 'yes' : 'no'}\n`).join('');
    await write('long.csv', `${header},left\n${labelled.repeat(25)}`);
    await succeed(training.replace('HISTORY.csv', 'long.csv').replace('COLUMN', 'left'));
    await succeed(score);

    await succeed(`chmod 777 "my 'other'"`);
    const warned = await printedBy(`rowcast keys add x ${other}`, /if that is not wanted: /);
    await succeed(warned);
    assert.doesNotMatch(await succeed(`rowcast keys add y ${other}`), /chmod/);
  });
});

it('a command for shards scores what is missing, and what is damaged', async t => {
  const { folder, printedBy, succeed, sh, write } = await bench(t);
  await write('in.csv', table);
  await succeed(`rowcast plan in.csv --report left -o 'an out.csv' --shards "my 'shards'"`);
  const assemble = `rowcast assemble "my 'shards'"`;
  await succeed(await printedBy(assemble, /Wait for the workers, or run: /));
  const parts = await readdir(join(folder, "my 'shards'"), { recursive: true });
  const part = parts.find(name => /\.csv$/.test(name)) ?? assert.fail(parts.join());
  await writeFile(join(folder, "my 'shards'", part), 'damaged');
  await succeed(await printedBy(assemble, / {2}Run: /));
  await succeed(
    `rm -r "my 'shards'"; rowcast plan in.csv --report left -o 'an out.csv' --shards "my 'shards'"`,
  );
  for (const next of ['work', 'assemble']) {
    const line = await printedBy(`rowcast status "my 'shards'"`, /next +/);
    assert.ok(line.startsWith(`rowcast ${next} `), line);
    await succeed(line);
  }
  assert.equal((await sh(`rowcast verify in.csv 'an out.csv'`)).code, 0);
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
  const named = Object.values(places).flatMap(tests => ('reason' in tests ? [] : [...tests]));
  for (const name of named) if (name.endsWith('.ts')) await access(join(root, name));
  assert.deepEqual([...found].sort(), Object.keys(places).sort());
});
