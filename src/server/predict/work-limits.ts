import { MAX_PERSONAS } from '../../contract/limits.ts';
import type { Model } from '../../reports/model/model-file.ts';

/** What it takes to predict a persona, estimated in nanoseconds of one core (2024, bench:service), within a factor of three. */
const CELL_NS = 50;
const TREE_LEVEL_NS = 8;
const CLASS_NS = 200;

/** Other requests wait for so much work at most. */
const SLICE_NS = 20e6;
/** A slice is no larger than this however little work it is. */
const SLICE_ROWS = 1_000;
/** The work of one call; 10,000 personas of 20 columns are a twentieth of it on 300 trees. */
const CALL_NS = 2e9;
/** What a client takes as the response to one call. */
const RESPONSE_BYTES = 64 * 1024 ** 2;
/** Of a class in a response: its name's quotes, a colon, a comma and a number. */
const CLASS_BYTES = 28;

/** How much of a model's work is done at once. */
export interface WorkLimits {
  /** Personas that are predicted before other requests have their turn. */
  sliceRows: number;
  /** Personas that one call takes. */
  callPersonas: number;
  /** What there is so much of where `callPersonas` is small, for the error that names it. */
  size: string;
}

/** The limits of a model's work, from its shape alone: the same on every machine and under every load. */
export function workLimits({ engine, columns, classes }: Model): WorkLimits {
  const { trees, depth } = engine.shape();
  const persona = columns.length * CELL_NS + trees * depth * TREE_LEVEL_NS + classes.length * CLASS_NS;
  const responseBytes = classes.reduce((bytes, name) => bytes + JSON.stringify(name).length + CLASS_BYTES, 0);
  const most = Math.min(CALL_NS / persona, RESPONSE_BYTES / responseBytes, MAX_PERSONAS);
  return {
    sliceRows: atLeastOne(Math.min(SLICE_NS / persona, SLICE_ROWS)),
    callPersonas: atLeastOne(most),
    size: `${columns.length} columns, ${trees} trees and ${classes.length} classes`,
  };
}

const atLeastOne = (count: number): number => Math.max(1, Math.floor(count));
