import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandWords, optionWords } from '../../../src/base/other-words.ts';
import { readArguments } from '../../../src/cli/arguments/parse-arguments.ts';
import { optionsOf } from '../../../src/cli/command-table/command-row.ts';
import { commands } from '../../../src/cli/command-table/commands.ts';

/** The parsed command name and options. */
async function read(line: string): Promise<[string, Record<string, unknown>]> {
  const given = await readArguments(line.split(' '));
  assert.ok(given.action === 'run');
  return [given.command.name, given.flags];
}

const refused = (line: string, message: RegExp, code = 'usage') =>
  assert.rejects(readArguments(line.split(' ').filter(word => word !== '')), {
    code,
    message,
    severity: 'refused',
  });

describe('a command line', () => {
  it('accepts a command, its arguments and its options in any order', async () => {
    const flags = { input: ['in.csv'], report: 'r', output: 'out.csv' };
    for (const line of [
      'score in.csv --report r -o out.csv',
      'score --report=r --output=out.csv in.csv',
      '--report r score -oout.csv in.csv',
      'score --report r -o out.csv -- in.csv',
    ])
      assert.deepEqual(await read(line), ['score', flags], line);
  });

  it('that names the column as the target of a training is told the option for it', async () => {
    await refused(
      'train h.csv --target revenue',
      /--target: .*got revenue\. Did you mean --predict revenue\?$/,
    );
    await refused('train h.csv --predict y --target number', /got number\. Did you mean numbers\?$/);
  });

  it('accepts --model as a second name of --report, on each command that has it', async () => {
    const having = commands.filter(command => 'report' in optionsOf(command));
    assert.deepEqual(
      having.map(({ name }) => name),
      [
        'score',
        'run',
        'plan',
        'verify',
        'evaluate',
        'train',
        'import',
        'predict',
        'batch-predict',
        'keys add',
      ],
    );
    for (const { name } of having) {
      const rest =
        {
          run: ' d.yaml',
          evaluate: ' s.csv --predict y',
          train: ' h.csv --predict y',
          import: ' m.txt',
          'keys add': ' k',
        }[name] ?? '';
      assert.deepEqual(await read(`${name}${rest} --model r`), await read(`${name}${rest} --report r`), name);
    }
    assert.deepEqual(await read('score --model=a --report b'), ['score', { report: 'b' }]);
    await refused('score --model', /^--model needs a value$/);
    await refused('status --model x', /^unknown option: --model$/);
  });

  it('accepts a dash as an argument and as an option value', async () => {
    assert.deepEqual(await read('score - -o - --nulls -'), [
      'score',
      { input: ['-'], output: '-', nulls: '-' },
    ]);
    assert.deepEqual(await read('verify in.csv -'), ['verify', { input: ['in.csv'], output: '-' }]);
    assert.deepEqual(await read('score --nulls -99'), ['score', { nulls: '-99' }]);
    assert.deepEqual(await read('score --nulls=-x'), ['score', { nulls: '-x' }]);
  });

  it('accepts a boolean as a flag, as its negation, or with a value', async () => {
    for (const [line, prediction] of [
      ['--prediction', true],
      ['--no-prediction', false],
      ['--prediction=false', false],
      ['--prediction false', false],
      ['--prediction true', true],
      ['--prediction --no-prediction', false],
    ] as const)
      assert.deepEqual(
        await read(`score ${line} in.csv`),
        ['score', { prediction, input: ['in.csv'] }],
        line,
      );
  });

  it('may have one argument after any number of others', async () => {
    for (const [words, input, output] of [
      ['', undefined, undefined],
      [' a', ['a'], undefined],
      [' a b', ['a'], 'b'],
      [' a b c', ['a', 'b'], 'c'],
    ] as const) {
      const [, flags] = await read(`verify${words}`);
      assert.deepEqual([flags.input, flags.output], [input, output], words);
    }
  });

  it('may ask any command to be quiet, with one letter', async () => {
    for (const line of ['verify in.csv out.csv', 'status out.csv', 'reports', 'keys add x'])
      assert.equal((await read(`${line} -q`))[1].quiet, true, line);
  });

  it('may repeat an option: the last value wins, unless the option collects all values', async () => {
    assert.deepEqual(await read('score --report a --report b'), ['score', { report: 'b' }]);
    assert.deepEqual(await read('keys add x --report a --report b'), [
      'keys add',
      { name: 'x', report: ['a', 'b'] },
    ]);
  });

  it('accepts two-word commands and any number of arguments', async () => {
    assert.deepEqual(await read('reports delete x'), ['reports delete', { id: 'x' }]);
    assert.deepEqual(await read('reports'), ['reports', {}]);
    assert.deepEqual(await read('predict --report r a=1 b=2'), [
      'predict',
      { report: 'r', features: ['a=1', 'b=2'] },
    ]);
  });

  it('can request help in several ways', async () => {
    const help = async (line: string): Promise<unknown[]> => {
      const given = await readArguments(line.split(' '));
      return given.action === 'help' ? [given.command?.name, given.isShort] : [given.action];
    };
    assert.deepEqual(await help('-h'), [undefined, true]);
    assert.deepEqual(await help('--help'), [undefined, false]);
    assert.deepEqual(await help('help'), [undefined, false]);
    assert.deepEqual(await help('score -h --nonsense'), ['score', true]);
    assert.deepEqual(await help('keys add --help'), ['keys add', false]);
    assert.deepEqual(await help('help keys add'), ['keys add', false]);
    assert.deepEqual(await help('score --version'), ['version']);
  });
});

describe('a command line is refused', () => {
  for (const [what, line, message] of [
    ['without a command', '', /^no command given/],
    ['with a misspelled command', 'skor', /^unknown command: skor\. Did you mean score\?$/],
    ['with an unknown command', 'scor', /^unknown command: scor\. Did you mean score\?$/],
    ['with an unknown two-word command', 'keys ad x', /^unknown command: keys ad\. Did you mean keys add\?$/],
    [
      'with an unknown option',
      'score --max-outag 5',
      /^unknown option: --max-outag\. Did you mean --max-outage\?$/,
    ],
    ['with an option of another command', 'reports --limit 5', /^unknown option: --limit$/],
    ['with an option that only exists in definitions', 'score --wire x', /^unknown option: --wire/],
    ['with an unknown short option', 'score -x', /^unknown option: -x$/],
    ['named like a member of all objects', 'score --constructor x', /^unknown option: --constructor$/],
    ['that negates such a name', 'score --no-toString', /^unknown option: --no-toString$/],
    ['with a short option of another command', 'verify a b -o c', /^unknown option: -o$/],
    ['with a short option and its value in one word', 'verify a b -oc', /^unknown option: -o$/],
    [
      'with the long form of that option',
      'verify a b --output c',
      /^unknown option: --output\. Did you mean --output-header\?$/,
    ],
    ['with the first letter of an option', 'status a -w', /^unknown option: -w\. Did you mean --watch\?$/],
    [
      'with the letter that is for something else elsewhere',
      'score -v',
      /^unknown option: -v\. Did you mean --log-level debug\?$/,
    ],
    ['with an option that lacks its value', 'score --output', /^--output needs a value$/],
    ['with an option in place of a value', 'score -o --report r', /^-o needs a value$/],
    [
      'with a value that is not one of the choices',
      'score --if-exists skp',
      /^--if-exists: expected one of replace, .*, got skp\. Did you mean skip\?$/,
    ],
    ['without a required argument', 'keys add', /^missing argument: NAME$/],
    ['without a required option', 'train h.csv', /^a required option is missing: --predict$/],
    ['with too many arguments', 'report a b', /^unexpected argument: b$/],
  ] as const)
    it(what, () => refused(line, message));
});

describe('what other programs call something', () => {
  for (const [typed, says] of [
    [
      'score in.csv --resume',
      '--resume; run the same command again: it goes on where an unfinished run stopped',
    ],
    ['score --sep ;', '--sep. Did you mean --delimiter?'],
    ['score --overwrite', '--overwrite. Did you mean --if-exists replace?'],
    ['train h.csv --label y', '--label. Did you mean --predict?'],
    ['evaluate s.csv --label l.csv', '--label. Did you mean --labels?'],
    ['evaluate s.csv --on id', '--on. Did you mean --key?'],
    ['score -v', '-v. Did you mean --log-level debug?'],
    ['score --no-header', '--no-header. Did you mean --names?'],
    ['score --input x', '--input; name files without an option, as in rowcast score INPUT -o OUTPUT'],
    // A command that has no such option does not name it.
    ['status --model x', '--model'],
  ] as const)
    it(`is named as rowcast calls it: ${typed}`, () =>
      refused(typed, new RegExp(`^unknown option: ${escaped(says)}$`)));

  for (const [typed, says] of [
    ['resume', 'resume; run the same command again: it goes on where an unfinished run stopped'],
    ['models', 'models; rowcast reports lists the models, which are called reports here'],
    ['list', 'list; rowcast reports lists the models, which are called reports here'],
  ] as const)
    it(`is named as rowcast calls it: rowcast ${typed}`, () =>
      refused(typed, new RegExp(`^unknown command: ${escaped(says)}$`)));

  it('names only options and commands that there are', () => {
    const options = new Set(commands.flatMap(command => Object.keys(optionsOf(command))));
    const names = new Set(commands.map(({ name }) => name));
    for (const { words, option, instead = '' } of [...optionWords, ...commandWords]) {
      assert.ok(option === undefined || options.has(option), option);
      for (const [, flag] of instead.matchAll(/--([a-z-]+)/g)) assert.ok(options.has(flag ?? ''), flag);
      for (const [, command] of instead.matchAll(/rowcast ([a-z]+)/g)) assert.ok(names.has(command ?? ''));
      // A word that is itself a command would never be looked up.
      if (option === undefined)
        for (const word of words) assert.ok(!names.has(word) || options.has(word), word);
    }
  });
});

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
