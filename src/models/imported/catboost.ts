import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { catboostObjective } from './catboost-objective.ts';
import { type CatboostFeatures, catboostTrees } from './catboost-trees.ts';
import { cityHash64 } from './city-hash.ts';
import {
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
import { unsupported } from './unsupported.ts';

/** More columns than any table has. */
const MAX_COLUMNS = 1 << 20;

/**
 * Reads a model that CatBoost saved as JSON: trees over numbers and over categories that were not turned into counters.
 *
 * @param iterations `default` and `all` are the same: CatBoost removes the trees after the best iteration itself
 * @throws RowcastError `bad_model`, `unsupported_model`; `usage` for more iterations than there are
 */
export function readCatboost(bytes: Buffer, iterations: Iterations): ImportedModel {
  if (bytes.length > MAX_MODEL_BYTES)
    throw unsupported(`the file is larger than ${MAX_MODEL_BYTES} bytes`, 'Train fewer or smaller trees.');
  const file = readJson(bytes);
  const info = file.member('model_info');
  const featuresInfo = file.member('features_info');
  for (const name of ['text_features', 'embedding_features'])
    if ((featuresInfo.find(name)?.list().length ?? 0) > 0)
      throw unsupported(
        `the model has ${name === 'text_features' ? 'texts' : 'embeddings'} as features ("${name}")`,
        'Train without these columns.',
      );

  const oblivious = file.find('oblivious_trees');
  const all = (oblivious ?? file.member('trees')).list();
  if (all.length > MAX_TREES)
    throw unsupported(`the model has ${all.length} trees, more than ${MAX_TREES}`, 'Train fewer trees.');
  if (typeof iterations === 'number' && iterations > all.length)
    throw new RowcastError(
      'usage',
      `the model has ${all.length} iterations, so ${iterations} cannot be used`,
      {
        hint: 'Use --iterations all, or a smaller number.',
      },
    );
  const used = typeof iterations === 'number' ? iterations : all.length;

  const [scale, bias] = readScale(file);
  const objective = catboostObjective(info, bias.length);
  const { features, byIndex } = readFeatures(featuresInfo);
  const trees: ImportedTree[] = [];
  let nodes = 0;
  for (let i = 0; i < used; i++) {
    const tree = all[i];
    if (tree === undefined) break;
    for (const one of catboostTrees(tree, i, {
      isOblivious: oblivious !== undefined,
      scores: bias.length,
      features: byIndex,
      maxNodes: MAX_NODES - nodes,
    })) {
      nodes += one.features.length;
      trees.push(one);
    }
    if (trees.length > MAX_TREES)
      throw unsupported(`the model has more than ${MAX_TREES} trees of one class`, 'Train fewer trees.');
  }

  const notes = [...objective.notes, ...thresholdNotes(info, objective)];
  if (iterations === 'best')
    notes.push(
      `CatBoost saves only the trees up to the best iteration, unless use_best_model=False: all ${all.length} ` +
        'iterations are used.',
    );
  if (features.some(({ categories }) => categories !== undefined))
    notes.push(
      'Categories are compared as the texts that Python gave to CatBoost, but 7.0 is 7, and True is 1 where it had 0 and 1.',
    );
  const version = /CatBoost release (\d+(?:\.\d+)*)/.exec(info.find('catboost_version_info')?.text() ?? '');
  return {
    library: 'CatBoost',
    version: version?.[1] ?? 'unknown',
    objective: objective.name,
    features,
    trees,
    sum: { precision: 'double', base: bias.map(() => 0), scale, bias },
    link: objective.link,
    predicts: objective.predicts,
    iterations: { all: all.length, used },
    notes,
  };
}

/** Says what `predict` of Python makes of probabilities, if it is not the most likely class. */
function thresholdNotes(info: Member, { predicts }: Pick<ImportedModel, 'predicts'>): string[] {
  // A number as text.
  const threshold = Number(info.find('binclass_probability_threshold')?.value ?? 0.5);
  const second = predicts.kind === 'classes' ? predicts.names?.[1] : undefined;
  if (threshold === 0.5 || !(threshold >= 0 && threshold <= 1) || second === undefined) return [];
  return [
    `In Python, predict gives "${second}" above a probability of ${threshold} (binclass_probability_threshold): score with --prediction --threshold ${second}=${threshold}.`,
  ];
}

function readJson(bytes: Buffer): Member {
  try {
    return new Member(JSON.parse(bytes.toString('utf8')));
  } catch {
    throw new RowcastError('bad_model', 'the file is not valid JSON, or is cut off', {
      hint: 'Save the model again, model.save_model("model.json", format="json"), or transfer the file again.',
    });
  }
}

/** What sums are multiplied with, and what is then added to each score. */
function readScale(file: Member): [scale: number, bias: number[]] {
  const [scale, bias] = file.member('scale_and_bias').list();
  if (scale === undefined || bias === undefined) throw file.wrong('has no scale and bias');
  // Until 0.23, the bias was a number.
  const values = typeof bias.value === 'number' ? [bias.value] : Array.from(bias.numbers());
  if (![scale.number(), ...values].every(Number.isFinite))
    throw file.wrong('has a scale or bias that is not finite');
  if (values.length === 0 || values.length > MAX_IMPORTED_CLASSES)
    throw file.wrong(`has ${values.length} biases, but should have 1 to ${MAX_IMPORTED_CLASSES}`);
  return [scale.number(), values];
}

/** Columns by their position in the training data, and how trees name them. */
function readFeatures(info: Member): { features: ImportedFeature[]; byIndex: CatboostFeatures } {
  const floats = info.find('float_features')?.list() ?? [];
  const categorical = info.find('categorical_features')?.list() ?? [];
  const byIndex: CatboostFeatures = { count: 0, floats: new Map(), categories: new Map() };
  const columns = new Map<number, ImportedFeature>();
  const name = (member: Member, flat: number): string | undefined => {
    // Without names, CatBoost writes the position.
    const text = member.find('feature_name')?.text() ?? member.find('feature_id')?.text();
    return text === undefined || text === '' || text === String(flat) ? undefined : text;
  };
  const place = (member: Member, feature: Omit<ImportedFeature, 'name'>): number => {
    const flat = member.member('flat_feature_index').integer(0, MAX_COLUMNS);
    if (columns.has(flat)) throw member.wrong('is at the position of another feature');
    columns.set(flat, { name: name(member, flat), ...feature });
    return flat;
  };

  for (const member of floats) {
    const index = member.member('feature_index').integer();
    if (byIndex.floats.has(index)) throw member.wrong('has the index of another feature');
    const treatment = member.find('nan_value_treatment')?.text() ?? 'AsIs';
    if (!['AsIs', 'AsFalse', 'AsTrue'].includes(treatment))
      throw unsupported(
        `${member.path} treats missing values "${sanitize(treatment)}"`,
        'Use nan_mode="Min" or "Max".',
      );
    const column = place(member, { categories: undefined });
    byIndex.floats.set(index, {
      column,
      missingGoesRight: treatment === 'AsTrue' && member.find('has_nans')?.value === true,
    });
  }

  const texts = readTexts(info);
  for (const member of categorical) {
    const index = member.member('feature_index').integer();
    if (byIndex.categories.has(index)) throw member.wrong('has the index of another feature');
    const categories =
      texts === undefined
        ? ({ kind: 'unknown', codeOf: hashOf } as const)
        : ({ kind: 'listed', texts, codeOf: hashOf } as const);
    byIndex.categories.set(index, place(member, { categories }));
  }
  byIndex.count = Math.max(-1, ...columns.keys()) + 1;
  if (byIndex.count !== columns.size)
    throw info.wrong(`has ${columns.size} features, but at positions up to ${byIndex.count - 1}`);
  const features = Array.from(
    { length: byIndex.count },
    (_, i) => columns.get(i) ?? { name: undefined, categories: undefined },
  );
  return { features, byIndex };
}

/** The code of a category: the lower half of the hash of its text, as a signed number. */
function hashOf(text: string): number {
  return Number(BigInt.asIntN(32, cityHash64(text)));
}

/** All texts by their codes, if the model was saved with its data; those of different columns are not kept apart. */
function readTexts(info: Member): ReadonlyMap<number, string> | undefined {
  const member = info.find('cat_features_hash');
  if (member === undefined) return undefined;
  const texts = new Map<number, string>();
  for (const entry of member.list()) {
    const text = entry.member('value').text();
    const code = hashOf(text);
    if (code !== (entry.member('hash').integer(-(2 ** 31), 2 ** 32 - 1) | 0))
      throw entry.wrong(`has a hash that is not the one of its text`);
    texts.set(code, text);
  }
  return texts;
}
