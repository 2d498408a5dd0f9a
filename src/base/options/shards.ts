import { driftOptions } from './drift.ts';
import { endOptions, progressOptions, summaryOptions } from './observability.ts';
import type { Option } from './option.ts';
import { rejectsOptions } from './repair.ts';
import { connectionOptions, homeOption, timeoutOption } from './service.ts';
import { storeOptions } from './store.ts';

const { 'if-same-as-last': _ifSameAsLast, ...assembledDrift } = driftOptions;
const { 'max-rejects': maxRejects, 'rejects-ok': rejectsOk } = rejectsOptions;

/** Options of `assemble`, by heading: those of the plan that do not determine the bytes may be given again. */
export const assembleGroups = {
  'Rows that fail': { 'max-rejects': maxRejects, 'rejects-ok': rejectsOk },
  Drift: assembledDrift,
  Service: { ...connectionOptions, ...homeOption, ...timeoutOption },
  'Result of the run': { ...summaryOptions, ...endOptions },
  Stores: storeOptions,
  Progress: progressOptions,
} as const satisfies Record<string, Record<string, Option>>;

/** The folder of a sharded run. */
export const shardsPositional = {
  name: 'dir',
  kind: 'path',
  describe: 'folder of the shards, or the output of the run',
  isRequired: true,
} as const;

/** The folder of shards for a worker, which may have a queue instead. */
export const workPositional = { ...shardsPositional, isRequired: false } as const;

/** How a run is divided into shards. */
export const shardOptions = {
  shards: {
    kind: 'path',
    value: 'DIR',
    describe: 'folder or URL of the shards, which all machines see',
  },
  'shard-bytes': {
    kind: 'size',
    default: '256MiB',
    min: 1 << 20,
    max: 2 ** 40,
    describe: 'bytes of input in a shard, in whole MiB',
  },
} as const satisfies Record<string, Option>;

/** Scores the shards on this machine. */
export const workersOption = {
  workers: {
    kind: 'integer',
    value: 'N',
    default: 0,
    min: 0,
    max: 256,
    describe: 'score shards in N processes of this machine; with --queue, 0 leaves them to others',
    defaultText: '0: this process alone; 1 with --queue',
  },
} as const satisfies Record<string, Option>;

/** The queue that tells workers which shards to score. */
export const queueOption = {
  queue: {
    kind: 'text',
    value: 'URL',
    describe: 'redis:// or postgres:// URL of the queue of shards; with a password only in ROWCAST_QUEUE',
    defaultText: 'ROWCAST_QUEUE',
  },
} as const satisfies Record<string, Option>;

/** When a worker of a queue ends. */
export const queueWorkOptions = {
  queue: { ...queueOption.queue, common: true, defaultText: 'ROWCAST_QUEUE, without a folder' },
  'stop-when-empty': {
    kind: 'boolean',
    describe: 'with --queue: end when no run has shards left',
    default: false,
  },
} as const satisfies Record<string, Option>;

/** How one command divides its work among processes of its own. */
export const scaleOutOptions = { ...workersOption, ...shardOptions };

/** Which shards a worker scores. */
export const workOptions = {
  shard: {
    kind: 'text',
    value: 'I',
    common: true,
    describe:
      'score shard I only, from 0; any: until none is left. By default JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID ' +
      'or AWS_BATCH_JOB_ARRAY_INDEX, else any',
  },
  'shards-per-task': {
    kind: 'integer',
    value: 'N',
    default: 1,
    min: 1,
    describe: 'score N shards: --shard I means those from I × N on',
  },
} as const satisfies Record<string, Option>;

/** What `plan` shows besides what follows from the input. */
export const planOptions = {
  probe: {
    kind: 'integer',
    value: 'N',
    common: true,
    default: 0,
    max: 100,
    describe: 'make up to N requests, and show what was understood, latency, and the time of the run',
    defaultText: 'none',
  },
  'show-request': {
    kind: 'boolean',
    common: true,
    default: false,
    describe: 'print the body of the first request to stdout, and nothing else',
  },
} as const satisfies Record<string, Option>;
