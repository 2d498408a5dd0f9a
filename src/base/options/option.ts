/** The type of an option's value, in YAML and after a flag. */
export type Kind =
  | 'text'
  /** A file or folder; in a definition, relative to the definition's folder. */
  | 'path'
  | 'threshold'
  | 'integer'
  | 'number'
  | 'duration'
  | 'size'
  | 'boolean'
  | 'list'
  /** A list, or the word all or none. */
  | 'selection'
  | 'map'
  /** A map of names to numbers. */
  | 'numbers'
  /** A mapping of its own shape, which the schema of definitions checks. */
  | 'structure';

/** One option. Its flag, definition key, library name, help, documentation and validation all come from here. */
export interface Option {
  readonly kind: Kind;
  /** One line of help. */
  readonly describe: string;
  /** The default in words, if it is not a plain value. */
  readonly defaultText?: string;
  /** A duration or size is written as a user would write it. */
  readonly default?: string | number | boolean | readonly string[];
  /** In seconds for a duration, in bytes for a size. */
  readonly min?: number;
  readonly max?: number;
  /** True if a threshold may be the word none: no limit. */
  readonly orNone?: boolean;
  /** The allowed values; of a map, those of each member. */
  readonly choices?: readonly string[];
  /** A word that a path may be instead. */
  readonly word?: string;
  /** One letter, for `-o`. */
  readonly alias?: string;
  /** Another long name of the flag, for those who look for it. */
  readonly secondName?: string;
  /** The placeholder for the value in help; by default, that of its kind. */
  readonly value?: string;
  /** True if the option has no flag. */
  readonly definitionOnly?: boolean;
  /** True if a definition, which may be from someone else, cannot set it: it says who gets a secret. */
  readonly flagOnly?: boolean;
  /** True if `-h` shows the option: most users need it. */
  readonly common?: boolean;
  /** True if the flag may be repeated, each time with one item of the list; of a path, if several may be given. */
  readonly repeatable?: boolean;
}

/** An option of a scoring run. */
export interface RunOption extends Option {
  /**
   * Whether the option affects the bytes of the output or of the rejects file. An unfinished run is not resumed with
   * another value of such an option, because half of its output would have been made differently.
   * `recorded apart`: it does, and the checkpoint records what follows from it (dialect, service, report, path).
   *
   * A plan of shards keeps the options that affect the output, and those that all workers must share although they do
   * not, or are recorded apart: how fast to work, when to stop, what to write beside the outputs. Others are each
   * worker's own, such as its key and its requests at a time.
   */
  readonly affectsOutput:
    | boolean
    | 'recorded apart'
    | 'recorded apart, and shards share it'
    | 'no, but shards share it';
}

export type Options = Readonly<Record<string, Option>>;

/** Whether the value of an option is a path, or several. */
export const isPathOf = ({ kind, word }: Option, value: unknown): boolean =>
  kind === 'path' && (word === undefined || value !== word);

/** The input, as an argument or a key of `score`. */
export const inputPositional = {
  kind: 'path',
  describe: 'CSV or JSON lines; - is stdin',
  default: '-',
} as const satisfies Option;

/** The inputs of a run. */
export const inputsPositional = {
  kind: 'path',
  describe:
    "CSV, JSON lines or Parquet; - is stdin; several files and quoted patterns ('in/**/*.csv.gz') are scored one by one",
  default: '-',
  repeatable: true,
} as const satisfies Option;

/** The training data, as an argument or a key of `train`. */
export const historyPositional = {
  kind: 'path',
  describe: "labelled rows; - is stdin; several files and quoted patterns ('in/part-*.csv') are read as one",
  repeatable: true,
} as const satisfies Option;

/** What stands for a value in help, by the kind of the option. */
const PLACEHOLDERS: Readonly<Record<Option['kind'], string>> = {
  text: 'TEXT',
  path: 'FILE',
  threshold: 'N|N%',
  integer: 'N',
  number: 'X',
  duration: 'DURATION',
  size: 'SIZE',
  boolean: '',
  list: 'LIST',
  selection: 'all|none|LIST',
  map: 'MAP',
  numbers: 'MAP',
  structure: '',
};

/** The value of an option as help shows it, such as `SIZE` or `replace|fail|skip`; empty for a boolean. */
export function placeholderOf({ kind, choices, value, orNone }: Option): string {
  const placeholder = value ?? (kind === 'text' ? choices?.join('|') : undefined) ?? PLACEHOLDERS[kind];
  return orNone ? `${placeholder}|none` : placeholder;
}

/** All ways to type the flag of an option, its letter first: `-o`, `--output`. */
export const flagSpellings = (name: string, { alias, secondName }: Option): string[] => [
  ...(alias === undefined ? [] : [`-${alias}`]),
  `--${name}`,
  ...(secondName === undefined ? [] : [`--${secondName}`]),
];

/** The default of an option in words, if it has one. */
export function defaultTextOf({ defaultText, default: value }: Option): string | undefined {
  if (defaultText !== undefined) return defaultText;
  return value === undefined || value === false || Array.isArray(value) ? undefined : String(value);
}

/** An option's help with its default. */
export function describeWithDefault(option: Option): string {
  const fallback = defaultTextOf(option);
  return fallback === undefined ? option.describe : `${option.describe} (default: ${fallback})`;
}
