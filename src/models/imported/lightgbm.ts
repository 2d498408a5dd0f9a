import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import {
  type ImportedModel,
  type ImportedTree,
  type Iterations,
  MAX_IMPORTED_CLASSES,
  MAX_MODEL_BYTES,
  MAX_TREES,
} from './imported-model.ts';
import { describeFeatures, type FeatureSources } from './lightgbm-features.ts';
import { readObjective } from './lightgbm-objective.ts';
import { TreeReader } from './lightgbm-tree.ts';
import { type KeyLine, TextLines } from './text-lines.ts';

const VERSIONS = ['v2', 'v3', 'v4'];
const SAVE_AGAIN = 'Save it again with model.save_model("model.txt"), or transfer it again.';
/** The known keys of the head. `label_index` and `monotone_constraints` matter in training only. */
const KEYS = new Set([
  'tree',
  'version',
  'num_class',
  'num_tree_per_iteration',
  'label_index',
  'max_feature_idx',
  'objective',
  'average_output',
  'feature_names',
  'monotone_constraints',
  'feature_infos',
  'tree_sizes',
]);

/** What a file says before its trees. */
interface Head {
  version: string;
  scores: number;
  objective: string | undefined;
  isAverage: boolean;
  names: string[];
  infos: string[];
  sizes: Float64Array | undefined;
}

/**
 * Reads a text file of LightGBM, `version=v2` to `v4`, as `save_model` of Python, R and the command line write it: the
 * library's `src/boosting/gbdt_model_text.cpp` and `src/io/tree.cpp`. `raw_score` of a random forest in Python is the
 * sum without the divisor.
 *
 * @throws RowcastError `bad_model`, `unsupported_model`; `usage` for more iterations than there are
 */
export function readLightgbm(bytes: Buffer, iterations: Iterations): ImportedModel {
  if (bytes.length > MAX_MODEL_BYTES)
    throw new RowcastError('unsupported_model', `the file is larger than ${MAX_MODEL_BYTES} bytes`);
  const lines = new TextLines(bytes);
  const head = readHead(lines);
  const { scores } = head;
  const outcome = readObjective(head.objective, scores);
  const trees = readTrees(lines, head);
  const all = trees.length / scores;
  if (trees.length === 0) lines.fail('the model has no trees', SAVE_AGAIN);
  if (!Number.isInteger(all))
    lines.fail(`${trees.length} trees are no whole iterations of ${scores}`, SAVE_AGAIN);
  const tail = readTail(lines, head.version);

  const notes: string[] = [];
  const used = usedIterations(iterations, all);
  if (iterations === 'best')
    notes.push(`LightGBM saves only the trees up to the best iteration: all ${all} iterations are used.`);
  if (outcome.objective === 'custom')
    notes.push('The file names no objective: the predictions are raw scores.');
  const describe: NonNullable<ImportedModel['describe']> = said => {
    const described = describeFeatures(head, tail, trees, said);
    return {
      features: described.features,
      trees: described.trees.slice(0, used * scores),
      notes: [...notes, ...described.notes],
    };
  };
  return {
    library: 'LightGBM',
    version: head.version,
    ...outcome,
    ...describe({ categories: new Map(), texts: new Set() }),
    describe: tail.pandas === undefined ? undefined : describe,
    sum: {
      precision: 'double',
      base: new Array<number>(scores).fill(0),
      ...(head.isAverage && { divisor: used }),
    },
    iterations: { all, used },
  };
}

function usedIterations(iterations: Iterations, all: number): number {
  if (typeof iterations !== 'number') return all;
  if (iterations <= all) return iterations;
  throw new RowcastError('usage', `the model has ${all} iterations, so ${iterations} cannot be used`, {
    hint: 'Use --iterations all, or a smaller number.',
  });
}

function readHead(lines: TextLines): Head {
  const keys = new Map<string, KeyLine>();
  while (lines.next() && !lines.isEmpty && !lines.startsWith('Tree=')) {
    if (lines.bytes[lines.end - 1] === 13)
      lines.fail('it ends with CR LF, which LightGBM does not write', 'Transfer the file in binary mode.');
    const line = lines.keyLine();
    if (lines.line === 1 ? line.key !== 'tree' : !KEYS.has(line.key))
      throw new RowcastError('unsupported_model', `the key "${sanitize(line.key)}" is not known`, {
        location: { line: lines.line },
        hint: 'It may change predictions. Save the model with a version of LightGBM from 2.2 to 4.',
      });
    if (keys.has(line.key)) lines.fail(`${line.key} is there twice`, SAVE_AGAIN);
    keys.set(line.key, line);
  }
  if (lines.startsWith('Tree=')) lines.back();
  const text = (key: string): string | undefined => {
    const line = keys.get(key);
    return line && lines.textOf(line.start, line.end);
  };
  const of = (key: string): KeyLine =>
    keys.get(key) ?? lines.fail(`there is no ${key} before it`, SAVE_AGAIN);
  const version = text('version') ?? '';
  if (!VERSIONS.includes(version))
    throw new RowcastError('unsupported_model', `version=${sanitize(version)} is not read`, {
      hint: `Save the model with a version of LightGBM from 2.2 to 4, which write ${VERSIONS.join(', ')}.`,
    });

  const classes = lines.integer(of('num_class'));
  const scores = keys.has('num_tree_per_iteration') ? lines.integer(of('num_tree_per_iteration')) : classes;
  if (scores < 1 || scores !== classes)
    lines.fail(`num_class is ${classes}, but num_tree_per_iteration ${scores}`, SAVE_AGAIN);
  if (scores > MAX_IMPORTED_CLASSES)
    throw new RowcastError(
      'unsupported_model',
      `it has more than ${MAX_IMPORTED_CLASSES} classes: ${scores}`,
    );
  const count = lines.integer(of('max_feature_idx')) + 1;
  const listOf = (key: string): string[] => {
    const { start, end } = of(key);
    const list = lines
      .textOf(start, end)
      .split(' ')
      .filter(word => word !== '');
    return list.length === count
      ? list
      : lines.fail(`${key} has ${list.length} features, but max_feature_idx is ${count - 1}`, SAVE_AGAIN);
  };
  return {
    version,
    scores,
    objective: text('objective'),
    isAverage: keys.has('average_output'),
    names: listOf('feature_names'),
    infos: listOf('feature_infos'),
    sizes: keys.has('tree_sizes') ? sizesOf(lines, of('tree_sizes')) : undefined,
  };
}

function sizesOf(lines: TextLines, line: KeyLine): Float64Array {
  const count = lines
    .textOf(line.start, line.end)
    .split(' ')
    .filter(word => word !== '').length;
  if (count > MAX_TREES)
    throw new RowcastError('unsupported_model', `it has more than ${MAX_TREES} trees: ${count}`);
  return lines.integers(line, count);
}

/** Reads all trees, and the line that ends them: old versions have none, but what comes after it. */
function readTrees(lines: TextLines, { names, scores, sizes }: Head): ImportedTree[] {
  const reader = new TreeReader(lines, names.length, scores);
  const trees: ImportedTree[] = [];
  while (lines.next()) {
    if (lines.isEmpty) continue;
    if (!lines.startsWith('Tree=')) break;
    const number = trees.length;
    if (number >= MAX_TREES)
      throw new RowcastError('unsupported_model', `it has more than ${MAX_TREES} trees`);
    const { start } = lines;
    const line = lines.keyLine();
    if (lines.integer(line) !== number) lines.fail(`tree ${number} is expected here`, SAVE_AGAIN);
    trees.push(reader.read(number));
    while (lines.next() && lines.isEmpty);
    lines.back();
    const size = lines.at - start;
    if (sizes !== undefined && sizes[number] !== size)
      lines.fail(
        `tree ${number} has ${size} bytes, but ${sizes[number] ?? 'none'} according to tree_sizes`,
        SAVE_AGAIN,
      );
  }
  const isEnd = ['end of trees', 'feature importances:', 'feature_importances:'].includes(lines.text);
  if (!isEnd)
    lines.fail(`there is no "end of trees" after tree ${trees.length - 1}: the file is cut off`, SAVE_AGAIN);
  if (sizes !== undefined && sizes.length !== trees.length)
    lines.fail(`there are ${trees.length} trees, but tree_sizes has ${sizes.length}`, SAVE_AGAIN);
  return trees;
}

const PARAMETER = '[categorical_feature: ';
const PANDAS = 'pandas_categorical:';

function readTail(lines: TextLines, version: string): FeatureSources {
  let categories: readonly number[] | undefined;
  let pandas: string | undefined;
  /** Whether the parameters have begun, and not yet ended. */
  let isOpen = false;
  let hasParameters = false;
  while (lines.next()) {
    if (lines.startsWith('parameters:')) isOpen = hasParameters = true;
    else if (lines.startsWith('end of parameters')) isOpen = false;
    else if (isOpen && lines.startsWith(PARAMETER))
      categories = parameterOf(lines.text.slice(PARAMETER.length));
    else if (!isOpen && lines.startsWith(PANDAS)) pandas = lines.text.slice(PANDAS.length);
  }
  // Before 2.2, there were no parameters.
  const isCut = isOpen || (version !== 'v2' && !hasParameters) || (pandas === undefined && !lines.isWhole);
  if (isCut) lines.fail('the file is cut off here', SAVE_AGAIN);
  return { categories, pandas };
}

function parameterOf(text: string): readonly number[] | undefined {
  return /^\d+(?:,\d+)*\]$/.test(text) ? text.slice(0, -1).split(',').map(Number) : undefined;
}
