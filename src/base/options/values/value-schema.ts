import * as z from 'zod';
import { describeWithDefault, type Option } from '../option.ts';
import { DURATION, readDuration, readSize, SIZE } from './duration.ts';
import { readRejectLimit } from './reject-limit.ts';

/** The schema of an option's value in a definition, with its description. */
export const describedSchema = (option: Option): z.ZodType =>
  schemaOf(option).describe(describeWithDefault(option));

/** The schema of an option's value. */
export function schemaOf({
  kind,
  choices,
  repeatable,
  orNone = false,
  min: least = 0,
  max: most = Number.MAX_SAFE_INTEGER,
}: Option): z.ZodType {
  const text = choices === undefined ? z.string() : z.enum(choices);
  switch (kind) {
    case 'text':
      return choices === undefined ? z.string().min(1) : text;
    case 'path': {
      const path = z.string().min(1);
      return repeatable ? z.union([path, z.array(path).min(1)]) : path;
    }
    case 'boolean':
      return z.boolean();
    case 'list':
      return z.array(z.string());
    case 'selection':
      return z.union([z.enum(['all', 'none']), z.array(z.string())]);
    case 'numbers':
      return z.record(z.string(), z.number().min(least).max(most));
    case 'structure':
      return z.record(z.string(), z.unknown());
    case 'map':
      return z.record(z.string(), text);
    case 'number':
      return z.number().min(least).max(most);
    case 'integer':
      return z.int().min(least).max(most);
    case 'duration':
      return z
        .union([z.number(), z.string().regex(DURATION, 'a duration')])
        .refine(value => isWithin(readDuration(String(value)), least, most));
    case 'threshold':
      return z.union([
        z.int().min(0),
        z
          .string()
          .refine(
            text => (orNone && text === 'none') || readRejectLimit(text),
            'a number, or a percentage up to 100%',
          ),
      ]);
    case 'size':
      return z
        .union([
          z.int(),
          z.string().regex(SIZE, 'a number of bytes, or one with K, M or G, or KiB, MiB or GiB'),
        ])
        .refine(size => isWithin(readSize(String(size)), least, most));
  }
}

const isWithin = (value: number | undefined, least: number, most: number): boolean =>
  value !== undefined && value >= least && value <= most;
