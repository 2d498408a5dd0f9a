import * as z from 'zod';
import { madeByShape, plannedEarlierShape } from '../../runs/reuse/made-by.ts';
import { predictionTypeShape } from '../../scoring/row-counts.ts';

const positionShape = z.strictObject({ offset: z.number(), row: z.number(), line: z.number() });

/** One input of a sharded run, and its output. */
const planFileShape = z.strictObject({
  /** Absolute paths, or URLs. */
  input: z.string(),
  output: z.string(),
  /** Path given with --rejects; null: next to the output. */
  rejects: z.string().nullable(),
  /** What tells a changed input from an unchanged one. */
  size: z.number(),
  modified: z.number(),
  /** The version of an object. */
  etag: z.string().exactOptional(),
  /**
   * Name of the compression, or `parquet`. A compressed file is one shard, because it can only be read from its start.
   */
  codec: z.string(),
  /** SHA-256 of the footer of an input that is not text. */
  footer: z.string().exactOptional(),
  /** SHA-256 of what is before the first record. */
  header: z.string(),
  /** The name of its format, and the options of the format. */
  format: z.string(),
  read_as: z.record(z.string(), z.union([z.string(), z.boolean()])),
  /** Whether a record that is left out may change the line ending before it. */
  may_join_lines: z.boolean(),
  /** The columns of the groups that are written, if the output has groups. */
  columns: z
    .array(
      z.strictObject({
        name: z.string(),
        type: z.enum(['number', 'text']),
        isVaried: z.boolean().exactOptional(),
      }),
    )
    .exactOptional(),
  /** What a rejects file of an input that is not text begins with. */
  rejects_header: z.string().exactOptional(),
  /** With --reuse: what makes its predictions, and the earlier outputs that some are copied from. */
  reuse: z.strictObject({ made_by: madeByShape, earlier: z.array(plannedEarlierShape) }).exactOptional(),
});
export type PlanFile = z.infer<typeof planFileShape>;

/** Everything that determines the bytes of the outputs. Contains no key and no values of personas. */
export const planShape = z.strictObject({
  format: z.literal(1),
  /**
   * SHA-256 of the other members but `settings`, `unchanged`, `ledger`, `written` and `trace`: two plans with the same
   * id give the same bytes.
   */
  id: z.string(),
  /** The version of rowcast; another one may write other bytes. */
  version: z.string(),
  /** `local`, or the base URL. */
  service: z.string(),
  /** Name of the protocol, if it is not that of the prediction report API. */
  protocol: z.string().exactOptional(),
  /** The ID of the report, and the hash of its description. */
  report: z.strictObject({ id: z.string(), hash: z.string() }),
  /** What each prediction consists of, in the order of the output's columns; a plan without files does not say. */
  predictionType: predictionTypeShape.exactOptional(),
  /** The options that determine the bytes of the outputs, as a definition has them. */
  options: z.record(z.string(), z.unknown()),
  /** When to stop, and what to write beside the outputs. */
  settings: z.record(z.string(), z.unknown()),
  /** Inputs of the command that are not scored, because their outputs are finished and nothing has changed since. */
  unchanged: z.array(
    z.strictObject({
      input: z.string(),
      output: z.string(),
      rejects: z.string().nullable(),
      /** When they were scored. */
      rows: z.strictObject({ read: z.number(), rejected: z.number() }),
    }),
  ),
  /** Where the finished runs of several inputs are recorded, and with which options; null: nowhere. */
  ledger: z.strictObject({ folder: z.string(), options: z.record(z.string(), z.string()) }).nullable(),
  /** The output as the command or the definition has written it, by which the last good run is known. */
  written: z.string().exactOptional(),
  /** The trace that the spans of the run belong to (W3C traceparent). */
  trace: z.string(),
  shard_bytes: z.number(),
  files: z.array(planFileShape),
});
export type ShardPlan = z.infer<typeof planShape>;

/** Whether the command was given one input, not several of which only one has to be scored. */
export const isSingle = ({ files, ledger }: Pick<ShardPlan, 'files' | 'ledger'>): boolean =>
  files.length === 1 && ledger === null;

/** A part of an input that is scored on its own. */
export const shardShape = z.strictObject({
  /** From 0 on, in the order of the outputs. */
  shard: z.number(),
  /** Index of its input in the plan. */
  file: z.number(),
  /** Its first record, and the one after its last; null if the input is compressed, of which it is all. */
  from: positionShape.nullable(),
  to: positionShape.nullable(),
  /** Whether it ends with the input. */
  is_last: z.boolean(),
});
export type Shard = z.infer<typeof shardShape>;

/** Says that all shards are published. */
export const plannedShape = z.strictObject({ shards: z.number() });
