import { RowcastError } from '../../errors.ts';
import { sanitize } from '../../sanitize.ts';
import { copyBytes, type WordView, wordView } from '../bytes/word-view.ts';
import { MAX_DECIMAL_BYTES, writeDecimal } from '../bytes/write-decimal.ts';
import type { Header } from './header.ts';
import { writeRow } from './write-row.ts';

export interface AppendedOptions {
  classes: readonly string[];
  /** First part of the probability columns' names. */
  prefix: string;
  /** Name of the predicted column, if the most probable class is appended too. */
  prediction: string | undefined;
}

/** The columns appended to each record, in the input's dialect, each with a leading delimiter. */
export interface Appended {
  readonly classes: readonly string[];
  /** Appended to the header. */
  readonly names: string;
  /** Appended to a row that could not be scored. */
  readonly empty: WordView;
  /** Maximum size for one row, in bytes. */
  readonly maxBytes: number;
  /**
   * Writes the appended fields of a scored row to `into[to…]`; its probabilities are at `probabilities[at…]`, one per class.
   *
   * @returns the offset after the last byte written
   */
  write(probabilities: Float64Array, at: number, into: WordView, to: number): number;
}

/**
 * The appended columns: `<prefix>_<class>` in the order of the classes and, if requested,
 * `predicted_<column>`, the most probable class (the first one if tied).
 *
 * A number is the shortest text that reads back to the same double (ECMA-262 Number::toString), always with a
 * point.
 *
 * @throws RowcastError `duplicate_columns` if the input already has such a column; `cannot_quote`
 */
export function appendedColumns(header: Header, options: AppendedOptions): Appended {
  const { classes, prefix, prediction } = options;
  const { delimiter } = header.dialect;
  const names = classes.map(name => `${prefix}_${name}`);
  if (prediction !== undefined) names.push(`predicted_${prediction}`);
  const appended = new Set(names);
  const taken =
    header.names.find(name => appended.has(name)) ??
    (appended.size < names.length ? repeatedOf(names) : undefined);
  if (taken !== undefined)
    throw new RowcastError('duplicate_columns', `the output would have two columns "${sanitize(taken)}"`, {
      hint: taken.startsWith('predicted_')
        ? 'The input has it already: rename it there, or leave out --prediction.'
        : 'The input has it already: give another --prefix.',
    });
  const write = (fields: readonly string[]): string => writeRow(fields, header.dialect).slice(0, -1);
  const between = delimiter.charCodeAt(0);
  const predicted = classes.map(name =>
    wordView(Buffer.from(prediction === undefined ? '' : delimiter + write([name]))),
  );

  return {
    classes,
    names: delimiter + write(names),
    empty: wordView(Buffer.from(delimiter.repeat(names.length))),
    maxBytes:
      names.length +
      classes.length * MAX_DECIMAL_BYTES +
      Math.max(0, ...predicted.map(({ bytes }) => bytes.length)),
    write(probabilities, at, into, to) {
      let offset = to;
      let mostLikely = 0;
      for (let index = 0; index < classes.length; index++) {
        const probability = probabilities[at + index] ?? Number.NaN;
        into.view.setUint8(offset++, between);
        offset = writeDecimal(probability, into, offset);
        if (probability > (probabilities[at + mostLikely] ?? Number.NaN)) mostLikely = index;
      }
      const name = predicted[mostLikely];
      return name === undefined ? offset : copyBytes(name, 0, name.bytes.length, into, offset);
    },
  };
}

const repeatedOf = (names: readonly string[]): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index);
