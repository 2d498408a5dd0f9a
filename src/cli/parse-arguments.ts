import yargs, { type Argv } from 'yargs';
import {
  describeWithDefault,
  keyOptions,
  type Option,
  scoreOptions,
  serveOptions,
  serviceOptions,
  trainOptions,
  verifyOptions,
} from '../config/option-table.ts';
import type { Options } from '../config/resolve-options.ts';
import { RowcastError } from '../errors.ts';

/** A command line, understood as far as the option table goes: values are still text. */
export interface Arguments {
  command: CommandName;
  /** Option or positional → text after it, or true for a bare flag. */
  flags: Readonly<Record<string, unknown>>;
}

export type CommandName =
  | 'train'
  | 'reports'
  | 'reports delete'
  | 'serve'
  | 'keys add'
  | 'keys list'
  | 'keys revoke'
  | 'score'
  | 'batch-predict'
  | 'predict'
  | 'report'
  | 'testing-results'
  | 'verify'
  | 'status'
  | 'run';

/**
 * Reads a command line.
 *
 * @returns undefined when help or the version was asked for, and was printed on stdout
 * @throws RowcastError `usage`
 */
export async function readArguments(
  argv: readonly string[],
  version: string,
): Promise<Arguments | undefined> {
  let chosen: Arguments | undefined;
  /** @param repeated options that may be given more than once */
  const choose =
    (command: CommandName, repeated: readonly string[] = []) =>
    (flags: object): void => {
      const given = Object.entries(flags).map(([name, value]) => [
        name,
        repeated.includes(name) ? value : lastGiven(value),
      ]);
      chosen = { command, flags: Object.fromEntries(given) };
    };

  // yargs lays out the help of every command that it runs, shown or not; of hidden options there is none.
  const isHelp = argv.some(word => /^help$|^--h|^-[^-]*h/.test(word));
  const withOptions = <T>(parser: Argv<T>, ...tables: Options[]): Argv<T> => {
    for (const table of tables)
      for (const [name, option] of Object.entries(table))
        if (!option.definitionOnly) parser.option(name, { ...flagOf(option), hidden: !isHelp });
    return parser;
  };

  // yargs takes a lone dash in the place of a required argument for an empty one.
  const dash = (text: string): string => (text === '' && argv.includes('-') ? '-' : text);

  const parser = yargs()
    .scriptName('rowcast')
    .usage(
      '$0 <command>\n\nStreams a CSV through a prediction report: every row comes back with its probabilities.',
    )
    .command(
      'score [input]',
      'score a CSV: the main job',
      y =>
        withOptions(
          y.positional('input', file('CSV of personas; - is stdin', '-')),
          scoreOptions,
          serviceOptions,
        ),
      choose('score'),
    )
    .command(
      'train <history>',
      'make a report from labelled rows',
      y =>
        withOptions(
          y.positional('history', {
            ...file('CSV of labelled rows, gzip or plain; - is stdin'),
            coerce: dash,
          }),
          trainOptions,
        ).demandOption('predict'),
      choose('train'),
    )
    .command(
      'reports',
      'list the local reports',
      y =>
        y.command(
          'delete <id>',
          'delete a local report; a service that runs sees it at once',
          z => z.positional('id', { type: 'string', describe: 'id of the report' }),
          choose('reports delete'),
        ),
      choose('reports'),
    )
    .command(
      'report <id>',
      "a report's tech specs, drivers and their impact",
      y =>
        withOptions(
          y
            .positional('id', { type: 'string', describe: 'id of the report' })
            .option('json', { type: 'boolean', describe: 'as the service answered' }),
          serviceOptions,
        ),
      choose('report'),
    )
    .command(
      'testing-results <id>',
      'the rows that the model was tested on, with what it said of them',
      y =>
        withOptions(
          y.positional('id', { type: 'string', describe: 'id of the report' }),
          { output: { ...scoreOptions.output, describe: 'where the CSV goes; - is stdout' } },
          serviceOptions,
        ),
      choose('testing-results'),
    )
    .command(
      'predict [features..]',
      'score one persona, given as NAME=VALUE … or as JSON on stdin',
      y =>
        withOptions(
          y.positional('features', { type: 'string', array: true, describe: 'NAME=VALUE, one a column' }),
          { report: scoreOptions.report },
          serviceOptions,
        ),
      choose('predict', ['features']),
    )
    .command(
      'batch-predict [input]',
      'have a whole CSV scored by the service, in one request',
      y =>
        withOptions(
          y.positional('input', file('CSV of personas; - is stdin', '-')),
          { report: scoreOptions.report, output: scoreOptions.output },
          serviceOptions,
        ),
      choose('batch-predict'),
    )
    .command(
      'serve',
      'run the prediction service over the local reports',
      y => withOptions(y, serveOptions),
      choose('serve'),
    )
    .command('keys', 'the keys that open the service', y =>
      y
        .command(
          'add <name>',
          'make a key, and print it once',
          z => withOptions(z.positional('name', keyName), keyOptions),
          choose('keys add', ['report']),
        )
        .command('list', 'the keys, and what they are good for', z => z, choose('keys list'))
        .command(
          'revoke <name>',
          'take a key away; a service that runs sees it at once',
          z => z.positional('name', keyName),
          choose('keys revoke'),
        )
        .demandCommand(1, 'which command? rowcast keys --help lists them'),
    )
    .command(
      'verify <input> <output>',
      'check that an output is what comes of its input',
      y =>
        withOptions(
          y
            .positional('input', { ...file('CSV that was scored; - is stdin'), coerce: dash })
            .positional('output', { ...file('CSV that came of it'), coerce: dash }),
          verifyOptions,
        ),
      choose('verify'),
    )
    .command(
      'status <output>',
      'how far the run that writes an output is',
      y =>
        y
          .positional('output', { ...file('output of the run'), coerce: dash })
          .option('json', { type: 'boolean', describe: 'the checkpoint as it is' }),
      choose('status'),
    )
    .command(
      'run <definition>',
      'do what a definition says; flags go over it',
      y =>
        withOptions(
          y.positional('definition', { ...file('YAML file, see pipelines/; - is stdin'), coerce: dash }),
          scoreOptions,
          serviceOptions,
        ),
      choose('run'),
    )
    .option('log-format', {
      choices: ['text', 'json'],
      default: 'text',
      describe: 'how messages on stderr are written',
    })
    .demandCommand(1, 'which command? rowcast --help lists them')
    .strict()
    .recommendCommands()
    .version(version)
    .help()
    .alias('help', 'h')
    .group(['help', 'version', 'log-format'], 'Always:')
    .parserConfiguration({ 'camel-case-expansion': false })
    .wrap(Math.min(100, process.stdout.columns ?? 80))
    .epilogue(
      'Environment: ROWCAST_URL, ROWCAST_API_KEY, ROWCAST_HOME (local reports, default .rowcast).\n' +
        'Exit codes: 0 done, 1 some rows rejected, 2 nothing was done, 3 stopped, 4 accounts do not balance, or verify found a difference.',
    )
    .exitProcess(false)
    .updateStrings(PLAIN_WORDS as object as Record<string, string>) // its types know no plurals
    .fail((message, error) => {
      throw error instanceof RowcastError ? error : usage((message ?? String(error)).replace(/\n\s*/g, ' '));
    });
  await parser.parseAsync([...argv]);
  return chosen;
}

/** What replaces the parser's own messages, by its keys. */
const PLAIN_WORDS = {
  'Not enough non-option arguments: got %s, need at least %s': plural('%s of %s required arguments given'),
  'Missing required argument: %s': plural('a required option is missing: --%s'),
  'Not enough arguments following: %s': '--%s needs a value',
  'Invalid values:': 'invalid value:',
  'Argument: %s, Given: %s, Choices: %s': '--%s: got %s, expected one of %s',
  'Unknown argument: %s': plural('unknown argument: %s'),
  'Did you mean %s?': 'unknown command. Did you mean %s?',
};

/** A message that takes a count, which need not read differently for one and many. */
function plural(text: string): { one: string; other: string } {
  return { one: text, other: text };
}

/** Of an option that is given twice the last counts, so that an alias in a shell can be overruled. */
function lastGiven(value: unknown): unknown {
  return Array.isArray(value) ? value.at(-1) : value;
}

/** Defaults stay with the table, so that a definition's value is seen as given and a default is not. */
function flagOf(option: Option): object {
  return {
    describe: describeWithDefault(option),
    ...(option.alias !== undefined && { alias: option.alias }),
    ...(option.choices !== undefined && { choices: option.choices }),
    ...(option.kind === 'flag' ? { type: 'boolean' } : { type: 'string', requiresArg: true }),
  };
}

const keyName = { type: 'string', describe: 'name of the key, as the log of the service tells it' } as const;

function file(describe: string, fallback?: string): { type: 'string'; describe: string; default?: string } {
  return { type: 'string', describe, ...(fallback !== undefined && { default: fallback }) };
}

function usage(message: string): RowcastError {
  return new RowcastError('usage', message, {
    hint: 'rowcast --help lists the commands, rowcast COMMAND --help one’s options.',
  });
}
