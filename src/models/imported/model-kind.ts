import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { RECOGNIZED_BYTES, unsupportedFiles } from '../../base/unsupported-files.ts';
import type { Library } from './imported-model.ts';

/** How a model is read. */
export interface ModelKind {
  library: Library;
  format: 'text' | 'json' | 'ubj';
}

/** First bytes of a file that tell its kind. */
export const KIND_BYTES = 4096;

const SAVE_AS_TEXT =
  'In Python, save the model itself: model.booster_.save_model("model.txt") of LightGBM’s LGBMClassifier, ' +
  'booster.save_model("model.txt") of its Booster, model.save_model("model.json") of XGBoost, ' +
  'model.save_model("model.json", format="json") of CatBoost.';

/** What a file looks like that is no model that is read, and what to do about it. */
interface OtherFile {
  is: string;
  begins: (first: Buffer, latin1: string) => boolean;
  hint?: string;
}

/** The beginning of a pickle of protocol 0; later protocols begin with the byte 0x80 and their number. */
const OLD_PICKLE = /^(?:c[\w.]+\n\w+\n|\([lid]p0\n)/;
const OLD_XGBOOST = /(?:binary|reg|multi|rank|count|survival):\w+[^\x20-\x7e]+(?:gbtree|gblinear|dart)/;

const others: readonly OtherFile[] = [
  {
    is: 'a pickle of Python, as joblib writes too',
    begins: (first, latin1) => (first[0] === 0x80 && isWithin(first[1], 2, 5)) || OLD_PICKLE.test(latin1),
    hint: `It is never opened, because reading a pickle runs the code in it. ${SAVE_AS_TEXT}`,
  },
  {
    is: 'compressed with zlib, perhaps by joblib',
    begins: first => first[0] === 0x78 && [0x01, 0x5e, 0x9c, 0xda].includes(first[1] ?? 0),
    hint: `A file of joblib is a pickle, which is never opened, because reading it runs the code in it. ${SAVE_AS_TEXT}`,
  },
  {
    is: 'a model of CatBoost in its binary format (.cbm)',
    begins: (_, latin1) => latin1.startsWith('CBM1'),
    hint: 'In Python: CatBoost().load_model("model.cbm").save_model("model.json", format="json")',
  },
  {
    is: 'a model of XGBoost in its old binary format',
    begins: (_, latin1) => latin1.startsWith('binf') || (latin1.includes('\0') && OLD_XGBOOST.test(latin1)),
    hint: 'In Python, with an XGBoost before 3.1: Booster(model_file="model.bin").save_model("model.json")',
  },
  {
    is: 'an archive of MLflow',
    begins: (_, latin1) => isZipOf(latin1, /^(?:[^/]*\/)*(?:MLmodel|conda\.yaml|python_env\.yaml)$/),
    hint: 'Unpack it, and give the folder that has the file MLmodel.',
  },
  {
    is: 'a MOJO of H2O',
    begins: (_, latin1) =>
      isZipOf(latin1, /^(?:model\.ini|experimental\/modelDetails\.json|domains\/|trees\/)/),
    hint: 'Models of H2O are not read.',
  },
  {
    is: 'a PMML document',
    begins: (_, latin1) =>
      /^\s*(?:\xef\xbb\xbf)?(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?<PMML[\s>]/.test(latin1),
    hint: `PMML is not read: it would round in another way than the library. ${SAVE_AS_TEXT}`,
  },
  {
    // ModelProto: ir_version, then the name of the producer or the graph.
    is: 'a model in ONNX',
    begins: first =>
      first[0] === 0x08 &&
      isWithin(first[1], 1, 31) &&
      [0x12, 0x1a, 0x22, 0x3a, 0x42].includes(first[2] ?? 0),
    hint: `ONNX is not read: it would round in another way than the library. ${SAVE_AS_TEXT}`,
  },
  {
    is: 'a dump of a model of XGBoost',
    begins: (_, latin1) => /^\s*(?:booster\[\d+\]:|\[\s*\{\s*"nodeid")/.test(latin1),
    hint: 'A dump has only the trees. In Python: model.save_model("model.json")',
  },
];

/** The first member of an object in JSON. */
const FIRST_MEMBER = /^\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:/;
const CATBOOST = new Set([
  'ctr_data',
  'features_info',
  'float_features',
  'model_info',
  'oblivious_trees',
  'scale_and_bias',
  'trees',
]);

/**
 * Which library a model is of, by its first bytes.
 *
 * @param first up to `KIND_BYTES` of the file
 * @throws RowcastError `unsupported_model`, which names what else it looks like; `bad_model` for an empty file
 */
export function modelKind(first: Buffer): ModelKind {
  if (first.length === 0)
    throw new RowcastError('bad_model', 'the file is empty', { hint: 'Save the model again.' });
  const latin1 = first.toString('latin1', 0, KIND_BYTES);
  if (/^tree\r?\n/.test(latin1)) return { library: 'LightGBM', format: 'text' };
  // In UBJ, the name of a member is its length, as a number of 8 bytes, and its text.
  if (/^\{[Li][^"{]{1,8}(?:learner|version)[^"]/.test(latin1)) return { library: 'XGBoost', format: 'ubj' };
  const member = FIRST_MEMBER.exec(latin1)?.[1];
  if (member === 'learner' || (member === 'version' && /^\s*\{\s*"version"\s*:\s*\[/.test(latin1)))
    return { library: 'XGBoost', format: 'json' };
  if (member !== undefined && CATBOOST.has(member)) return { library: 'CatBoost', format: 'json' };
  if (member === 'name' && /"name"\s*:\s*"tree"/.test(latin1))
    refuse(
      'a dump of a model of LightGBM',
      'A dump lacks what predictions need. In Python: model.save_model("model.txt")',
    );
  for (const { is, begins, hint } of others) if (begins(first, latin1)) refuse(is, hint);
  const bytes = first.subarray(0, RECOGNIZED_BYTES);
  const known = unsupportedFiles.find(({ begins }) =>
    begins?.({ bytes, latin1: latin1.slice(0, RECOGNIZED_BYTES), text: bytes.toString() }),
  );
  if (known?.is.startsWith('compressed')) refuse(known.is, 'Decompress it first.');
  if (known !== undefined) refuse(known.is, SAVE_AS_TEXT);
  if (member !== undefined) refuse(`JSON with "${sanitize(member)}" first`, SAVE_AS_TEXT);
  return refuse('of an unknown kind', SAVE_AS_TEXT);
}

/** @param is as in "the file is a pickle of Python" */
function refuse(is: string, hint?: string): never {
  throw new RowcastError(
    'unsupported_model',
    `the file is ${is}, not a model of LightGBM, XGBoost or CatBoost that can be read`,
    {
      ...(hint !== undefined && { hint }),
    },
  );
}

function isWithin(byte: number | undefined, least: number, most: number): boolean {
  return byte !== undefined && byte >= least && byte <= most;
}

/** Whether the beginning of a zip archive has a file of such a name. */
function isZipOf(latin1: string, name: RegExp): boolean {
  if (!latin1.startsWith('PK')) return false;
  for (let at = latin1.indexOf('PK\x03\x04'); at !== -1; at = latin1.indexOf('PK\x03\x04', at + 4)) {
    // APPNOTE.TXT, section 4.3.7: the length of the name at 26, the name at 30.
    const length = latin1.charCodeAt(at + 26) + 256 * latin1.charCodeAt(at + 27);
    if (name.test(latin1.slice(at + 30, at + 30 + length))) return true;
  }
  return false;
}
