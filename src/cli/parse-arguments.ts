import yargs, { type Argv } from 'yargs';
import { usePresentNames } from '../config/former-names.ts';
import { describeWithDefault } from '../config/option-text.ts';
import { keyOptions } from '../config/options/keys.ts';
import type { Option, Options } from '../config/options/option.ts';
import { scoreOptions, serviceOptions } from '../config/options/run.ts';
import { serveOptions } from '../config/options/serve.ts';
import {
  connectionOptions,
  homeOption,
  idleTimeoutOption,
  timeoutOption,
} from '../config/options/service.ts';
import { historyOptions, trainOptions } from '../config/options/train.ts';
import { verifyOptions } from '../config/options/verify.ts';
import { RowcastError } from '../errors.ts';

/** A parsed command line. Option values are still text. */
export interface Arguments {
  command: CommandName;
  /** Option or positional → its text, or true for a flag without a value. */
  flags: Readonly<Record<string, unknown>>;
}

export type CommandName =
  | 'train'
  | 'reports'
  | 'reports delete'
  | 'serve'
  | 'keys add'
  | 'keys'
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
 * @returns undefined if help or the version was requested; it has been printed to stdout
 * @throws RowcastError `usage`
 */
export async function readArguments(
  argv: readonly string[],
  version: string,
): Promise<Arguments | undefined> {
  let chosen: Arguments | undefined;
  let options: Options = {};
  /** @param repeated options that may be given more than once */
  const choose =
    (command: CommandName, repeated: readonly string[] = []) =>
    (flags: object): void => {
      const given = Object.entries(flags).map(([name, value]) => [
        name,
        repeated.includes(name) ? value : lastGiven(value),
      ]);
      const named = usePresentNames(options, Object.fromEntries(given), (former, present) => {
        throw new RowcastError(
          'bad_option',
          `--${former} is the former name of --${present}, and the two have different values`,
          { hint: `Use --${present} only.` },
        );
      });
      chosen = { command, flags: named };
    };

  // yargs formats help for every command it runs, even if it is not printed. Hiding the options skips that work.
  const isHelp = argv.some(word => /^help$|^--h|^-[^-]*h/.test(word));
  const withOptions = <T>(parser: Argv<T>, ...tables: Options[]): Argv<T> => {
    options = Object.assign({}, ...tables);
    for (const [name, option] of Object.entries(options)) {
      if (option.definitionOnly) continue;
      parser.option(name, { ...flagOf(option), hidden: option.hidden || !isHelp });
      if (option.formerName !== undefined)
        parser.option(option.formerName, { ...flagOf(option), hidden: true });
    }
    return parser;
  };

  // yargs turns a lone dash given for a required argument into an empty string.
  const dash = (text: string): string => (text === '' && argv.includes('-') ? '-' : text);

  const parser = yargs()
    .scriptName('rowcast')
    .usage(
      '$0 <command>\n\nStreams a CSV through a prediction report: every row comes back with its probabilities.',
    )
    .command(
      'score [input]',
      'score a CSV: append predicted probabilities to every row',
      y =>
        withOptions(
          y.positional('input', file('CSV of personas; - is stdin', '-')),
          scoreOptions,
          serviceOptions,
          homeOption,
        ),
      choose('score'),
    )
    .command(
      'train <history>',
      'train a report from labelled rows',
      y =>
        withOptions(
          y.positional('history', {
            ...file('CSV of labelled rows, gzip or plain; - is stdin'),
            coerce: dash,
          }),
          trainOptions,
          historyOptions,
          homeOption,
        ).demandOption('predict'),
      choose('train'),
    )
    .command(
      'reports',
      'list the local reports',
      y =>
        withOptions(y, homeOption).command(
          'delete <id>',
          'delete a local report; running servers notice immediately',
          z => withOptions(z.positional('id', { type: 'string', describe: 'id of the report' }), homeOption),
          choose('reports delete'),
        ),
      choose('reports'),
    )
    .command(
      'report <id>',
      "show a report's tech specs and the impact of its drivers",
      y =>
        withOptions(
          y
            .positional('id', { type: 'string', describe: 'id of the report' })
            .option('json', { type: 'boolean', describe: 'print the JSON as the service returned it' }),
          connectionOptions,
          timeoutOption,
          homeOption,
        ),
      choose('report'),
    )
    .command(
      'testing-results <id>',
      'write the rows the model was tested on, with its predictions, as CSV',
      y =>
        withOptions(
          y.positional('id', { type: 'string', describe: 'id of the report' }),
          { output: { ...scoreOptions.output, describe: 'file for the CSV; - is stdout' } },
          connectionOptions,
          timeoutOption,
          homeOption,
        ),
      choose('testing-results'),
    )
    .command(
      'predict [features..]',
      'score one persona, given as NAME=VALUE arguments or as JSON on stdin',
      y =>
        withOptions(
          y.positional('features', { type: 'string', array: true, describe: 'NAME=VALUE, one per column' }),
          { report: scoreOptions.report },
          connectionOptions,
          timeoutOption,
          homeOption,
        ),
      choose('predict', ['features']),
    )
    .command(
      'batch-predict [input]',
      'have the service score a whole CSV in one request',
      y =>
        withOptions(
          y.positional('input', file('CSV of personas; - is stdin', '-')),
          { report: scoreOptions.report, output: scoreOptions.output },
          connectionOptions,
          idleTimeoutOption,
          homeOption,
        ),
      choose('batch-predict'),
    )
    .command(
      'serve',
      'run the prediction service over the local reports',
      y => withOptions(y, serveOptions, homeOption),
      choose('serve'),
    )
    .command(
      'keys',
      'manage the API keys of the service',
      y =>
        withOptions(y, homeOption)
          .command(
            'add <name>',
            'create an API key and print it once',
            z => withOptions(z.positional('name', keyName), keyOptions, homeOption),
            choose('keys add', ['report']),
          )
          .command('list', false, z => withOptions(z, homeOption), choose('keys'))
          .command(
            'revoke <name>',
            'revoke a key; running servers notice immediately',
            z => withOptions(z.positional('name', keyName), homeOption),
            choose('keys revoke'),
          ),
      choose('keys'),
    )
    .command(
      'verify <input> <output>',
      'verify that an output file matches its input',
      y =>
        withOptions(
          y
            .positional('input', { ...file('CSV that was scored; - is stdin'), coerce: dash })
            .positional('output', { ...file('scored CSV; - is stdin'), coerce: dash }),
          verifyOptions,
        ),
      choose('verify'),
    )
    .command(
      'status <output>',
      'show the progress of the run that writes an output',
      y =>
        y
          .positional('output', { ...file('output of the run'), coerce: dash })
          .option('json', { type: 'boolean', describe: 'print the checkpoint as JSON' }),
      choose('status'),
    )
    .command(
      'run <definition>',
      'run a definition file; flags override it',
      y =>
        withOptions(
          y.positional('definition', {
            ...file('YAML definition (examples in pipelines/); - is stdin'),
            coerce: dash,
          }),
          scoreOptions,
          serviceOptions,
          homeOption,
        ),
      choose('run'),
    )
    .option('log-format', {
      choices: ['text', 'json'],
      default: 'text',
      describe: 'format of the messages on stderr',
    })
    .demandCommand(1, 'no command given; rowcast --help lists them')
    .strict()
    .recommendCommands()
    .version(version)
    .help()
    .alias('help', 'h')
    .group(['help', 'version', 'log-format'], 'General:')
    .parserConfiguration({ 'camel-case-expansion': false })
    .wrap(Math.min(100, process.stdout.columns ?? 80))
    .epilogue(
      'Environment: ROWCAST_URL, ROWCAST_API_KEY, ROWCAST_HOME (local reports, default .rowcast).\n' +
        'Exit codes: 0 success, 1 some rows rejected, 2 nothing was done, 3 stopped early, 4 row counts do not balance or verify found a difference.',
    )
    .exitProcess(false)
    .updateStrings(MESSAGES as object as Record<string, string>) // the types do not allow plural forms
    .fail((message, error) => {
      throw error instanceof RowcastError ? error : usage((message ?? String(error)).replace(/\n\s*/g, ' '));
    });
  await parser.parseAsync([...argv]);
  return chosen;
}

/** Replacements for yargs's own messages, by its message keys. */
const MESSAGES = {
  'Not enough non-option arguments: got %s, need at least %s': plural('%s of %s required arguments given'),
  'Missing required argument: %s': plural('a required option is missing: --%s'),
  'Not enough arguments following: %s': '--%s needs a value',
  'Invalid values:': 'invalid value:',
  'Argument: %s, Given: %s, Choices: %s': '--%s: got %s, expected one of %s',
  'Unknown argument: %s': plural('unknown argument: %s'),
  'Did you mean %s?': 'unknown command. Did you mean %s?',
};

/** A message for which yargs expects a singular and a plural form; both are the same here. */
function plural(text: string): { one: string; other: string } {
  return { one: text, other: text };
}

/** If an option is repeated, the last value wins, so that a shell alias can be overridden. */
function lastGiven(value: unknown): unknown {
  return Array.isArray(value) ? value.at(-1) : value;
}

/** Defaults are not given to yargs: a definition's value must override a default, but not a flag. */
function flagOf(option: Option): object {
  return {
    describe: describeWithDefault(option),
    ...(option.alias !== undefined && { alias: option.alias }),
    ...(option.choices !== undefined && { choices: option.choices }),
    ...(option.kind === 'boolean' ? { type: 'boolean' } : { type: 'string', requiresArg: true }),
  };
}

const keyName = { type: 'string', describe: 'name of the key, as shown in the service log' } as const;

function file(describe: string, fallback?: string): { type: 'string'; describe: string; default?: string } {
  return { type: 'string', describe, ...(fallback !== undefined && { default: fallback }) };
}

function usage(message: string): RowcastError {
  return new RowcastError('usage', message, {
    hint: 'rowcast --help lists the commands; rowcast COMMAND --help lists the options of one.',
  });
}
