import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors in a command line, a definition or the environment. Nothing has been done yet. */
export const commandLineCodes = {
  usage: {
    exit: [2],
    cause: 'A command, option or argument is unknown or missing.',
    fix: 'See `rowcast COMMAND --help`.',
  },
  bad_option: { exit: [2], cause: 'The value of an option is invalid; the message lists what it accepts.' },
  bad_definition: {
    exit: [2],
    cause: 'Invalid YAML, or a key that is unknown or invalid.',
    fix: 'See [definitions](many-files.md#definitions).',
  },
  untrusted_definition: {
    exit: [2],
    cause: 'The definition would use other files, a store, or a key of this machine.',
    fix: 'If it is [your own](many-files.md#your-own-or-somebody-elses), add `--trust-definition`.',
  },
  bad_dialect: {
    exit: [2],
    cause: 'Delimiter or quote is unusable.',
    fix: 'Use two different ASCII characters, `tab` or `none`.',
  },
  bad_rejects: {
    exit: [2],
    cause: 'The output is a file but the rejects are not, so they could not be resumed.',
  },
  same_output: {
    exit: [2],
    cause: 'Two outputs are the same file, or both are stdout.',
  },
  output_is_input: { exit: [2], cause: 'The command would overwrite a file that it reads.' },
  wrong_suffix: {
    exit: [2],
    cause: 'The name of the output says another delimiter than its input has, or compressed Parquet.',
  },
  unsupported_output: {
    exit: [2],
    cause: 'The name of the output promises a format that is not written.',
    fix: 'Use `.csv`, `.tsv`, `.jsonl`, `.parquet`, with `.gz` or `.zst`, or `--output-format`.',
  },
  bad_url: {
    exit: [2],
    cause: 'The URL is not http or https, or has user info, a query or a fragment.',
    fix: 'Keys belong in `ROWCAST_API_KEY` or `--api-key-file`.',
  },
  insecure_url: {
    exit: [2],
    cause: 'The key would be sent unencrypted to another host.',
    fix: 'Use https, or `--allow-http` on a trusted network.',
  },
  no_key: {
    exit: [2],
    cause: 'A key, a value of `--header-env` or credentials of `--auth` are missing.',
    fix:
      'Set `ROWCAST_API_KEY` or `--api-key-file`; a `url` of a definition, or another `--url`, needs its own. ' +
      '`--auth none` needs none.',
  },
  short_key: {
    exit: [2],
    cause: '`ROWCAST_API_KEY` is too short beyond loopback.',
    fix: 'Use 32 characters (`openssl rand -base64 32`) or `rowcast keys add`.',
  },
  stdout_closed: { exit: [2], cause: 'Stdout is closed or discarded.', fix: 'Use `-o`, or `> /dev/null`.' },
  no_working_directory: { exit: [2], cause: 'The working directory was deleted or is unreadable.' },
} as const satisfies CommandErrorDocs;

/** Codes of errors that only programs get that use the library. */
export const libraryCodes = {
  callback_failed: {
    exit: [3],
    cause: 'A callback threw or rejected, with the error as `cause`.',
    fix: 'The same call resumes.',
  },
  scorer_failed: {
    exit: [2, 3],
    cause: 'The program’s scorer threw (see `cause`), or returned what JSON cannot express.',
  },
} as const satisfies CommandErrorDocs;
