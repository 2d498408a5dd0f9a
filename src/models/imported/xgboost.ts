import { isUtf8 } from 'node:buffer';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import {
  type Categories,
  type ImportedFeature,
  type ImportedModel,
  type ImportedTree,
  type Iterations,
  MAX_IMPORTED_CLASSES,
  MAX_MODEL_BYTES,
  MAX_NODES,
  MAX_TREES,
} from './imported-model.ts';
import { Member } from './members.ts';
import { logSingle } from './single-precision.ts';
import { readUbj } from './ubj.ts';
import { unsupported } from './unsupported.ts';
import { xgboostObjective } from './xgboost-objective.ts';
import { readXgboostTree } from './xgboost-tree.ts';

/** The first and the last version whose files were compared with the library. */
const [OLDEST, NEWEST] = [
  [1, 7],
  [3, 4],
] as const;

const later = (left: readonly [number, number], right: readonly [number, number]): boolean =>
  left[0] > right[0] || (left[0] === right[0] && left[1] > right[1]);

/**
 * Reads a model that XGBoost saved as JSON or UBJ, in version 1.7 or later: what `RegTree::LoadModel`,
 * `GBTreeModel::LoadModel` and `LearnerIO::LoadModel` of the library read.
 *
 * @param iterations `default` is what the library does: `XGBClassifier` and the other classes in the style of
 *   scikit-learn predict with the trees up to the best iteration, a `Booster` with all of them
 * @throws RowcastError `bad_model`, `unsupported_model`; `usage` for iterations that the file does not have
 */
export function readXgboost(bytes: Buffer, iterations: Iterations): ImportedModel {
  if (bytes.length > MAX_MODEL_BYTES)
    throw unsupported(`the file is larger than ${MAX_MODEL_BYTES} bytes`, 'Train fewer or smaller trees.');
  const file = new Member(bytes[0] === 0x7b && bytes[1] === 0x4c ? readUbj(bytes) : readJson(bytes));
  const version = file.member('version').integers();
  const release = [version[0] ?? 0, version[1] ?? 0] as const;
  if (later(OLDEST, release))
    throw unsupported(
      `the model was saved by XGBoost ${release.join('.')}; models are read from ${OLDEST.join('.')} on`,
      'Load it with a newer XGBoost, and save it again.',
    );
  const notes: string[] = [];
  if (later(release, NEWEST))
    notes.push(
      `XGBoost ${release.join('.')} is newer than the versions that were compared with the library.`,
    );

  const learner = file.member('learner');
  const booster = learner.member('gradient_booster');
  const name = booster.member('name').text();
  if (name !== 'gbtree' && name !== 'dart')
    throw unsupported(
      `a model of the booster "${sanitize(name)}" is not read`,
      'Train it with booster="gbtree" or booster="dart".',
    );
  const model = (name === 'dart' ? booster.member('gbtree') : booster).member('model');
  const weights = (name === 'dart' ? booster : model).find('weight_drop')?.numbers();

  const param = learner.member('learner_model_param');
  const count = param.member('num_feature').integer(1, 1 << 24);
  const classCount = param.find('num_class')?.integer(0, MAX_IMPORTED_CLASSES) ?? 0;
  const targets = param.find('num_target')?.integer(1, MAX_IMPORTED_CLASSES) ?? 1;
  const scores = Math.max(classCount, targets, 1);
  const objective = xgboostObjective(learner.member('objective'), { classCount, targets, release });
  notes.push(...objective.notes);

  const all = model.member('trees').list();
  if (all.length > MAX_TREES)
    throw unsupported(`the model has ${all.length} trees, more than ${MAX_TREES}`, 'Train fewer trees.');
  if (weights !== undefined && weights.length > 0) {
    if (weights.length !== all.length)
      throw model.wrong(`has ${all.length} trees, but ${weights.length} weights of them`);
    if (learner.find('attributes')?.find('scikit_learn') !== undefined && !later(release, [3, 2]))
      notes.push(
        'Scores are those of Booster.predict: with dropped trees (dart), the classes in the style of scikit-learn ' +
          'of XGBoost before 3.3 give scores whose last digits differ.',
      );
  }
  const used = usedIterations(learner, model, all.length, scores, iterations);
  notes.push(...used.notes);

  const treeScores = model.member('tree_info').integers(all.length, 0, scores - 1);
  const byCategory = new Set<number>();
  const byNumber = new Set<number>();
  let nodes = 0;
  const trees = all.slice(0, used.trees).map((tree, i): ImportedTree => {
    const read = readXgboostTree(tree, i, {
      score: treeScores[i] ?? 0,
      weight: weights !== undefined && weights.length > 0 ? Math.fround(weights[i] ?? 1) : 1,
      features: count,
      scores,
      byCategory,
      byNumber,
    });
    nodes += read.features.length;
    if (nodes > MAX_NODES)
      throw unsupported(`the trees have more than ${MAX_NODES} nodes`, 'Train fewer or smaller trees.');
    return read;
  });

  const features = readFeatures(learner, model, count, byCategory, !later(release, [3, 3]), notes);
  for (const index of byNumber)
    if (features[index]?.categories !== undefined)
      throw model.wrong(`has a tree that tests the categories of feature ${index} as a number`);

  return {
    library: 'XGBoost',
    version: Array.from(version).join('.'),
    objective: objective.name,
    features,
    trees,
    sum: { precision: 'single', base: readBase(param.member('base_score'), scores, objective.margin) },
    link: objective.link,
    predicts: objective.predicts,
    iterations: used.iterations,
    notes,
  };
}

function readJson(bytes: Buffer): unknown {
  try {
    const text = bytes.toString('utf8');
    // XGBoost before 3.0 writes NaN as the condition of a node that tests categories. Outside of texts it is null here.
    // A text that does not end also matches, so that nothing is tried twice.
    const tokens = /"(?:[^"\\]|\\.)*"?|-?Infinity|NaN/g;
    const json =
      text.includes('NaN') || text.includes('Infinity') ? text.replace(tokens, standardToken) : text;
    return JSON.parse(json);
  } catch {
    throw new RowcastError('bad_model', 'the file is not valid JSON, or is cut off', {
      hint: 'Save the model again, or transfer the file again. A very large model can be saved as UBJ.',
    });
  }
}

function standardToken(token: string): string {
  if (token.startsWith('"')) return token;
  return token === 'NaN' ? 'null' : token.replace('Infinity', '1e999');
}

/** The score that a row begins with, by score: the file has it in the space of predictions, as text of float32s. */
function readBase(member: Member, scores: number, margin: 'identity' | 'logit' | 'log'): readonly number[] {
  // Until 3.0 a number, from 3.1 on a list of them.
  const texts = member
    .text()
    .replace(/^\[|\]$/g, '')
    .split(',');
  if (texts.length !== 1 && texts.length !== scores)
    throw member.wrong(`has ${texts.length} numbers, but the model has ${scores} scores`);
  const base = texts.map(text => {
    const value = /^[-+.\d eE]+$/.test(text) ? Math.fround(Number(text)) : Number.NaN;
    if (!Number.isFinite(value)) throw member.wrong('should have finite numbers');
    const isInside = margin === 'identity' || (value > 0 && (margin === 'log' || value < 1));
    if (!isInside)
      throw member.wrong(`is ${value}, which is no ${margin === 'log' ? 'positive number' : 'probability'}`);
    if (margin === 'identity') return value;
    if (margin === 'log') return logSingle(value);
    return -logSingle(Math.fround(Math.fround(1 / value) - 1));
  });
  return Array.from({ length: scores }, (_, i) => base[i] ?? base[0] ?? 0);
}

/** How many trees are used. */
function usedIterations(
  learner: Member,
  model: Member,
  trees: number,
  scores: number,
  wanted: Iterations,
): { trees: number; iterations: ImportedModel['iterations']; notes: string[] } {
  const param = model.member('gbtree_model_param');
  const parallel = param.find('num_parallel_tree')?.integer(1, MAX_TREES) ?? 1;
  if (param.member('num_trees').integer() !== trees)
    throw param.wrong(`says that there are other than the ${trees} trees of the file`);
  // The first tree of each iteration, and the count of trees at the end.
  const starts = model.find('iteration_indptr')?.integers(undefined, 0, trees);
  const all = starts === undefined ? Math.ceil(trees / (parallel * scores)) : starts.length - 1;
  const end = (iteration: number): number =>
    starts === undefined ? Math.min(trees, iteration * parallel * scores) : (starts[iteration] ?? trees);
  for (let i = 0; starts !== undefined && i <= all; i++)
    if (end(i) < (i === 0 ? 0 : end(i - 1)) || (i === 0 && end(i) !== 0) || (i === all && end(i) !== trees))
      throw model.wrong('has an "iteration_indptr" that does not go from 0 to the count of trees');

  const attributes = learner.find('attributes');
  const bestIteration = attributes?.find('best_iteration')?.integer();
  const best = bestIteration === undefined ? undefined : bestIteration + 1;
  const hasWrapper = attributes?.find('scikit_learn') !== undefined;
  const refuse = (what: string): RowcastError =>
    new RowcastError('usage', what, { hint: 'Use --iterations all, or a smaller number.' });
  if (best !== undefined && best > all && (wanted === 'best' || (wanted === 'default' && hasWrapper)))
    throw refuse(`the best iteration is ${best}, but the model has ${all}`);
  if (wanted === 'best' && best === undefined)
    throw refuse('the file does not say which iteration was the best');
  if (typeof wanted === 'number' && wanted > all)
    throw refuse(`the model has ${all} iterations, so ${wanted} cannot be used`);

  let used = all;
  const notes: string[] = [];
  if (typeof wanted === 'number') used = wanted;
  else if (wanted === 'best') used = best ?? all;
  else if (wanted === 'default' && best !== undefined && best < all) {
    used = hasWrapper ? best : all;
    notes.push(
      hasWrapper
        ? `Early stopping left ${all} iterations, of which ${best} are used: the file is from a class in the style ` +
            'of scikit-learn, which predicts with those up to the best one.'
        : `Early stopping left ${all} iterations, and all are used, as Booster.predict does, although the best one ` +
            `was ${best}.`,
    );
  }
  return { trees: end(used), iterations: { all, best, used }, notes };
}

function readFeatures(
  learner: Member,
  model: Member,
  count: number,
  byCategory: ReadonlySet<number>,
  /** Whether the library counted characters where it cuts bytes. */
  hasCountedCharacters: boolean,
  notes: string[],
): ImportedFeature[] {
  // Both may be empty, and are then if the training data was an array of numbers.
  const [names, types] = ['feature_names', 'feature_types'].map(name => {
    const member = learner.find(name);
    const texts = member?.list().map(text => text.text()) ?? [];
    if (texts.length !== 0 && texts.length !== count)
      throw (member ?? learner).wrong(`has ${texts.length} elements, but the model has ${count} features`);
    return texts;
  });
  const lists = model.find('cats')?.member('enc').list() ?? [];
  if (lists.length !== 0 && lists.length !== count)
    throw model.wrong(`has "cats" of ${lists.length} features, but the model has ${count}`);
  const unknown: number[] = [];
  const damaged: number[] = [];
  const features = Array.from({ length: count }, (_, i): ImportedFeature => {
    const list = lists[i];
    let categories: Categories | undefined;
    if (list !== undefined && hasCountedCharacters && hasOtherThanAscii(list)) {
      categories = {
        kind: 'unknown',
        because: 'XGBoost before 3.4 damages those with letters outside of ASCII',
      };
      damaged.push(i);
    } else if (list !== undefined) categories = readCategories(list);
    if (categories === undefined && (types?.[i] === 'c' || byCategory.has(i))) {
      categories = { kind: 'unknown' };
      unknown.push(i);
    }
    return { name: names?.[i], categories };
  });
  if (features.some(({ categories }) => categories?.kind === 'listed'))
    notes.push(
      'A category that the training did not have counts as missing; XGBoost itself stops with an error there.',
    );
  if (unknown.length > 0)
    notes.push(
      'The file has the codes of categories, but not which values they stand for: in pandas, the order of ' +
        'the categories of the column.',
    );
  if (damaged.length > 0)
    notes.push(
      'Before 3.4, XGBoost saves the categories of a column damaged if they have letters outside of ASCII: ' +
        'only their codes are known. With such a model, XGBoost itself may take one category for another.',
    );
  return features;
}

/** The numbers of `CatIndexType` in the library, with the bits of those that have no sign. */
const categoryTypes = new Map<number, number>([
  [9, 0],
  [10, 8],
  [11, 0],
  [12, 16],
  [13, 0],
  [14, 32],
  [15, 0],
  [16, 64],
]);

function hasOtherThanAscii(list: Member): boolean {
  return (
    list.find('offsets') !== undefined &&
    Array.prototype.some.call(list.member('values').numbers(), byte => !(byte >= 0 && byte < 0x80))
  );
}

/** The values behind the codes of a feature; undefined for a number. */
function readCategories(list: Member): Categories | undefined {
  const values = list.member('values');
  const offsets = list.find('offsets')?.integers();
  const texts: string[] = [];
  if (offsets !== undefined) {
    const text = Buffer.from(Uint8Array.from(values.integers(undefined, -128, 255)));
    for (let i = 0; i + 1 < offsets.length; i++) {
      const [start, end] = [offsets[i] ?? 0, offsets[i + 1] ?? 0];
      if (start > end || end > text.length) throw list.wrong('has offsets outside of its values');
      if (!isUtf8(text.subarray(start, end))) throw list.wrong('has a category that is not valid UTF-8');
      texts.push(text.toString('utf8', start, end));
    }
  } else {
    const unsigned = categoryTypes.get(list.member('type').integer());
    if (unsigned === undefined)
      throw unsupported(
        `${list.path} has categories of an unknown type`,
        'Use categories of texts or whole numbers.',
      );
    const numbers =
      values.value instanceof BigInt64Array ? values.value : values.integers(undefined, -(2 ** 63));
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] ?? 0;
      if (typeof number === 'number' && !Number.isSafeInteger(number))
        throw unsupported(
          `${list.path} has a category of more than 15 digits`,
          'Use texts, or save it as UBJ.',
        );
      // Where UBJ has no type without a sign, it has the same bits with one.
      texts.push(String(unsigned === 0 || number >= 0 ? number : BigInt.asUintN(unsigned, BigInt(number))));
    }
  }
  if (texts.length === 0) return undefined;
  if (new Set(texts).size !== texts.length) throw list.wrong('has a category twice');
  return { kind: 'listed', texts: new Map(texts.map((text, code) => [code, text])) };
}
