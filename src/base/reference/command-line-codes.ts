import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors in a command line, a definition or the environment. Nothing has been done yet. */
export const commandLineCodes = {
  usage: {
    exit: [2],
    cause: 'The command line is not valid: an unknown command or option, or a missing argument.',
    fix: 'Run `rowcast COMMAND --help`.',
  },
  bad_option: {
    exit: [2],
    cause: 'The value of an option is not valid.',
    fix: 'The message names the option and the values that it accepts.',
  },
  bad_definition: {
    exit: [2],
    cause: 'The definition is not valid YAML, or has an unknown or invalid member.',
    fix: 'Correct the line that the message names; see the [keys of a definition](definitions.md).',
  },
  bad_dialect: {
    exit: [2],
    cause: 'The delimiter or quote character cannot be used.',
    fix: 'Use one ASCII character for each, and different ones; `tab` and `none` are accepted too.',
  },
  bad_rejects: {
    exit: [2],
    cause: 'The output is a file, but the rejects would go to a device, a pipe or stdout.',
    fix: 'Give a file as `--rejects`, so that both can be resumed.',
  },
  same_output: {
    exit: [2],
    cause: 'Two outputs of the command are the same file, or two of them are stdout.',
    fix: 'Give each of output, rejects and summary its own path.',
  },
  output_is_input: {
    exit: [2],
    cause: 'A file that the command would write is one that it reads.',
    fix: 'Give another path for the output.',
  },
  wrong_suffix: {
    exit: [2],
    cause:
      'The name of the output ends in `.tsv`, but its input is not separated by tabs, and an output has the delimiter of its input.',
    fix: 'Give the output another name, such as `.csv`, or convert the input first.',
  },
  bad_compression: {
    exit: [2],
    cause: 'The name of the output ends in the suffix of a compression that cannot be written.',
    fix: 'Use a name that ends in `.gz`, or pipe stdout into the compressor.',
  },
  bad_url: {
    exit: [2],
    cause: 'The URL of the service is not an http or https URL, or has user info, a query or a fragment.',
    fix: 'Give the scheme, host and path only. Keys belong in `ROWCAST_API_KEY` or `--api-key-file`.',
  },
  insecure_url: {
    exit: [2],
    cause: 'The API key would be sent unencrypted to another host.',
    fix: 'Use https, or `--allow-http` on a trusted network.',
  },
  no_key: {
    exit: [2],
    cause: 'There is no API key, it cannot be read, or it cannot be sent in a header.',
    fix: 'Set `ROWCAST_API_KEY`, or name a readable file with `--api-key-file`. A definition with a `url` needs its own `api-key-env` or `api-key-file`. If `ROWCAST_URL` is another service than `--url`, name the key of the latter with `--api-key-file` or `--api-key-env`.',
  },
  short_key: {
    exit: [2],
    cause: '`ROWCAST_API_KEY` is too short for a service that other hosts can reach.',
    fix: 'Use 32 characters or more, for example from `openssl rand -base64 32`, or create keys with `rowcast keys add`.',
  },
  stdout_closed: {
    exit: [2],
    cause: 'Rows would go to stdout, which is closed or discarded.',
    fix: 'Write to a file with `-o`, or redirect stdout. `> /dev/null` discards the rows on purpose.',
  },
  no_working_directory: {
    exit: [2],
    cause: 'The working directory was deleted or cannot be read.',
    fix: 'Change to another directory.',
  },
} as const satisfies CommandErrorDocs;
