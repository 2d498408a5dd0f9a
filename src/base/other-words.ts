import { suggestNames } from './suggest-names.ts';

/** Words of other programs for something that rowcast has, and what it is here. */
interface OtherWords {
  /** As they are typed, without dashes; one letter is a short option. */
  readonly words: readonly string[];
  /** The option of rowcast. */
  readonly option?: string;
  /** The option with its value, if that belongs to what the words mean. */
  readonly value?: string;
  /** What to do if there is no such option, in a sentence without its end. */
  readonly instead?: string;
}

const AGAIN = 'run the same command again: it goes on where an unfinished run stopped';
const AS_ARGUMENT = 'name files without an option, as in rowcast score INPUT -o OUTPUT';

/** By option; of several rows that have a word, the first one whose option the command has counts. */
export const optionWords: readonly OtherWords[] = [
  { words: ['model', 'model-id', 'model-name', 'model-file', 'm'], option: 'report' },
  { words: ['sep', 'separator', 'delim', 'field-separator', 'd'], option: 'delimiter' },
  { words: ['overwrite', 'force', 'clobber', 'f', 'y', 'yes'], option: 'if-exists', value: 'replace' },
  { words: ['skip-existing', 'no-clobber'], option: 'if-exists', value: 'skip' },
  { words: ['resume', 'continue'], instead: AGAIN },
  { words: ['verbose', 'debug', 'v'], option: 'log-level', value: 'debug' },
  { words: ['silent', 's'], option: 'quiet' },
  { words: ['input', 'in', 'infile', 'in-file', 'file', 'files', 'data', 'i'], instead: AS_ARGUMENT },
  { words: ['out', 'outfile', 'out-file', 'output-file', 'output-path', 'dest', 'O'], option: 'output' },
  { words: ['format', 'output-type', 'of'], option: 'output-format' },
  { words: ['chunk-size', 'chunksize', 'chunk-rows', 'batch-size', 'batch', 'b'], option: 'batch-rows' },
  { words: ['workers', 'parallel', 'parallelism', 'n-jobs', 'j'], option: 'jobs' },
  { words: ['host', 'endpoint', 'server', 'uri', 'api-url', 'base-url', 'u'], option: 'url' },
  {
    words: ['api-key', 'apikey', 'key', 'token', 'api-token', 'password'],
    instead:
      'put the key into ROWCAST_API_KEY, or into a file for --api-key-file: other users can see a command line',
  },
  { words: ['header', 'headers', 'H'], option: 'header-env' },
  { words: ['insecure', 'k', 'no-verify', 'verify'], option: 'ca-file' },
  { words: ['retries', 'retry', 'max-retries'], option: 'max-outage' },
  { words: ['rps', 'qps', 'rate', 'rate-limit', 'max-rps', 'throttle'], option: 'max-requests-per-second' },
  { words: ['no-header', 'column-names', 'colnames'], option: 'names' },
  { words: ['columns', 'cols', 'usecols', 'select', 'c'], option: 'features' },
  { words: ['exclude', 'drop', 'ignore'], option: 'exclude-features' },
  { words: ['dtype', 'dtypes', 'schema'], option: 'types' },
  { words: ['na', 'na-values', 'null', 'null-values'], option: 'nulls' },
  { words: ['skiprows', 'skip-rows', 'skip'], option: 'skip-lines' },
  { words: ['nrows', 'rows', 'head', 'n', 'max-rows'], option: 'limit' },
  { words: ['charset', 'e'], option: 'encoding' },
  { words: ['quotechar', 'quote-char'], option: 'quote' },
  { words: ['escapechar', 'escape-char'], option: 'escape' },
  { words: ['label', 'labels-file', 'outcomes', 'actuals', 'truth'], option: 'labels' },
  { words: ['on', 'join', 'join-on', 'merge-on', 'id-column'], option: 'key' },
  { words: ['group-by', 'groupby', 'segment', 'segments'], option: 'by' },
  { words: ['target', 'label', 'label-column', 'target-column'], option: 'predict' },
  { words: ['precision', 'round', 'float-format'], option: 'decimals' },
  { words: ['max-errors', 'max-bad-records', 'error-limit'], option: 'max-rejects' },
  { words: ['errors', 'bad-records', 'error-file'], option: 'rejects' },
  { words: ['random-state', 'random-seed'], option: 'seed' },
  {
    words: ['dryrun', 'dry', 'whatif'],
    option: 'dry-run',
    instead: 'rowcast plan shows what a run would do',
  },
  {
    words: ['config', 'config-file', 'conf', 'definition'],
    option: 'definition',
    instead: 'rowcast run DEFINITION runs one',
  },
  {
    words: ['compress', 'compression', 'gzip', 'zip', 'z'],
    instead: 'name the output so: -o scored.csv.gz, or .csv.zst',
  },
];

/** Commands of other programs. */
export const commandWords: readonly OtherWords[] = [
  { words: ['resume', 'continue', 'restart', 'retry'], instead: AGAIN },
  {
    words: ['models', 'model', 'list', 'ls'],
    instead: 'rowcast reports lists the models, which are called reports here',
  },
  { words: ['fit', 'learn', 'build'], instead: 'rowcast train trains a report, which is a model' },
  {
    words: ['infer', 'apply', 'batch', 'predict-batch', 'transform'],
    instead: 'rowcast score scores a file',
  },
  { words: ['validate', 'lint'], instead: 'rowcast check checks a definition, rowcast verify an output' },
  { words: ['fix'], instead: 'rowcast repair puts corrected rejects into their places' },
  {
    words: ['stop', 'kill'],
    instead:
      'Ctrl-C or kill -TERM stops a run and keeps its work; rowcast abort discards what a stopped run left',
  },
  { words: ['clean', 'rm', 'remove'], instead: 'rowcast abort discards what a stopped run left' },
  {
    words: ['ps', 'show', 'info', 'jobs'],
    instead: 'rowcast status OUTPUT shows a run, or those of a folder',
  },
  { words: ['start', 'server', 'deploy', 'web', 'ui'], instead: 'rowcast serve serves the reports' },
  { words: ['login', 'auth'], instead: 'the key to a service goes into ROWCAST_API_KEY' },
];

/**
 * The options that a word stands for: by what other programs call them, else by their letters.
 *
 * @param names of those that there are, in any case and with any punctuation
 * @returns their names as in `names`, at most three
 */
export function suggestOptions(word: string, names: readonly string[]): string[] {
  const known = knownName(otherWord(word, optionWords, names)?.option, names);
  return known === undefined ? suggestNames(word, names) : [known];
}

/**
 * What to use in place of an unknown option, as it is typed.
 *
 * @param word without dashes
 * @param names of the options of the command
 * @returns the options, or a sentence without its end if there are none
 */
export function suggestFlags(word: string, names: readonly string[]): string[] | string {
  const row = otherWord(word, optionWords, names);
  const known = knownName(row?.option, names);
  if (known !== undefined) return [`--${known}${row?.value === undefined ? '' : ` ${row.value}`}`];
  return row?.instead ?? suggestNames(word.replace(/^no-/, ''), names).map(name => `--${name}`);
}

/** What to use in place of a command of another program, as a sentence without its end. */
export const insteadOfCommand = (word: string): string | undefined => otherWord(word, commandWords)?.instead;

function otherWord(word: string, table: readonly OtherWords[], names: readonly string[] = []) {
  const typed = word.length === 1 ? word : plain(word);
  const rows = table.filter(({ words }) => words.includes(typed) || words.includes(word));
  return rows.find(({ option }) => knownName(option, names) !== undefined) ?? rows[0];
}

const knownName = (option: string | undefined, names: readonly string[]): string | undefined =>
  option === undefined ? undefined : names.find(name => plain(name) === plain(option));

/** `ifExists` of the library is `if-exists`. */
const plain = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
