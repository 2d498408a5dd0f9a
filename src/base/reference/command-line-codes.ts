import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors in a command line, a definition or the environment. Nothing has been done yet. */
export const commandLineCodes = {
  usage: {
    exit: [2],
    cause: 'A command, option or argument is unknown or missing.',
    fix: 'See `rowcast COMMAND --help`.',
  },
  bad_option: {
    exit: [2],
    cause: 'The value of an option is invalid.',
    fix: 'The message lists what it accepts.',
  },
  bad_definition: {
    exit: [2],
    cause: 'The definition is invalid YAML, or a key is unknown or invalid.',
    fix: 'See [definitions](many-files.md#definitions).',
  },
  untrusted_definition: {
    exit: [2],
    cause:
      'The definition would use files outside its folder, a store, or a key in the environment. One from somebody else must not.',
    fix: 'If it is your own, add `--trust-definition`. See [security](many-files.md#your-own-or-somebody-elses).',
  },
  bad_dialect: {
    exit: [2],
    cause: 'The delimiter or quote character is unusable.',
    fix: 'Use two different ASCII characters, `tab` or `none`.',
  },
  bad_rejects: {
    exit: [2],
    cause: 'The output is a file, but the rejects are not, so they could not be resumed.',
  },
  same_output: {
    exit: [2],
    cause: 'Two outputs are the same file, or both are stdout.',
  },
  output_is_input: { exit: [2], cause: 'The command would overwrite a file that it reads.' },
  wrong_suffix: {
    exit: [2],
    cause:
      'The output would have the delimiter of its input, not the one that its name says, or be Parquet that is compressed as a whole.',
    fix: 'Rename it, or convert the input.',
  },
  unsupported_output: {
    exit: [2],
    cause:
      'The name of the output, or of its rejects, promises a compression or a format that cannot be written.',
    fix: 'Use `.gz` or `.zst`, or pipe stdout into the compressor; `.csv`, `.tsv`, `.jsonl` or `.parquet`, or `--output-format`.',
  },
  bad_url: {
    exit: [2],
    cause: 'The URL is not http or https, or has user info, a query or a fragment.',
    fix: 'Keys belong in `ROWCAST_API_KEY` or `--api-key-file`.',
  },
  insecure_url: {
    exit: [2],
    cause: 'Requests, with the API key, would be sent unencrypted to another host.',
    fix: 'Use https, or `--allow-http` on a trusted network.',
  },
  no_key: {
    exit: [2],
    cause:
      'The API key, a value of `--header-env`, or what `--auth google`, `azure` or `sigv4` needs is missing, unreadable, or not valid in a header.',
    fix: 'Set `ROWCAST_API_KEY` or `--api-key-file`; `--auth none` needs no key. A definition with `url`, or a `--url` other than `ROWCAST_URL`, needs a key of its own: `api-key-file` or `api-key-env`.',
  },
  short_key: {
    exit: [2],
    cause: '`ROWCAST_API_KEY` is too short for a service that other hosts can reach.',
    fix: 'Use at least 32 characters (`openssl rand -base64 32`) or `rowcast keys add`.',
  },
  stdout_closed: {
    exit: [2],
    cause: 'Stdout is closed or discarded.',
    fix: 'Use `-o`; to discard rows on purpose, `> /dev/null`.',
  },
  no_working_directory: { exit: [2], cause: 'The working directory was deleted or is unreadable.' },
} as const satisfies CommandErrorDocs;
