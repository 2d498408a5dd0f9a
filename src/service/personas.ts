import type { Value } from '../api/shapes.ts';
import { encoderOf, type LearnedColumn } from './columns.ts';
import type { EncodedColumn } from './engine.ts';

/** Why one persona has no prediction, while the others of its batch have theirs. */
export interface PersonaError {
  code: 'not_a_persona' | 'unknown_columns' | 'invalid_value';
  message: string;
}

export interface EncodedPersonas {
  /** One a column, as long as the personas; a persona with an error is all missing. */
  columns: EncodedColumn[];
  /** By the persona's place. */
  errors: Map<number, PersonaError>;
}

export type PersonaEncoder = (personas: readonly unknown[]) => EncodedPersonas;

/**
 * Checks personas by hand and turns them into columns: a schema over every persona would cost more than
 * predicting it. Missing columns, nulls and levels that were not learned are missing values; columns that the
 * report does not have are ignored, unless a persona has no other.
 */
export function personaEncoder(learned: readonly LearnedColumn[]): PersonaEncoder {
  const readers = learned.map(column => ({
    name: column.name,
    encode: encoderOf(column),
    read: reader(column.name),
  }));
  return personas => {
    const columns: EncodedColumn[] = learned.map(() => new Array(personas.length).fill(null));
    const errors = new Map<number, PersonaError>();
    personas.forEach((persona, row) => {
      const features = featuresOf(persona);
      if (features === undefined) {
        errors.set(row, {
          code: 'not_a_persona',
          message: 'A persona is an object with "features", an object of column and value.',
        });
        return;
      }
      let known = 0;
      for (const [i, { name, encode, read }] of readers.entries()) {
        const value = read(features);
        if (value === undefined) continue;
        known++;
        if (!isValue(value)) {
          errors.set(row, {
            code: 'invalid_value',
            message: `The value of ${JSON.stringify(name)} is neither a text, a number, true, false nor null.`,
          });
          return;
        }
        // Both are as long as `learned`.
        (columns[i] as EncodedColumn)[row] = encode(value);
      }
      if (known === 0) {
        errors.set(row, {
          code: 'unknown_columns',
          message: "None of the report's columns is among the features.",
        });
      }
    });
    return { columns, errors };
  };
}

type Features = Record<string, unknown>;

function featuresOf(persona: unknown): Features | undefined {
  if (!isObject(persona)) return undefined;
  const features = persona.features;
  return isObject(features) ? features : undefined;
}

function isObject(value: unknown): value is Features {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isValue(value: unknown): value is Value {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  );
}

/** A plain look-up is fastest, and wrong only for names that every object has, such as __proto__. */
function reader(name: string): (features: Features) => unknown {
  if (!(name in Object.prototype)) return features => features[name];
  return features => (Object.hasOwn(features, name) ? features[name] : undefined);
}
