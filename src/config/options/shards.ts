import { driftOptions } from './drift.ts';
import { progressOptions, summaryOptions } from './observability.ts';
import type { Option } from './option.ts';
import { rejectsOptions } from './rejects.ts';
import { connectionOptions, homeOption, timeoutOption } from './service.ts';

const { 'max-rejects': maxRejects, 'rejects-ok': rejectsOk } = rejectsOptions;
const { quiet } = progressOptions;

/** Options of `assemble`, by heading: those of the plan that do not determine the bytes may be given again. */
export const assembleGroups = {
  'Rows that fail': { 'max-rejects': maxRejects, 'rejects-ok': rejectsOk },
  Drift: driftOptions,
  Service: { ...connectionOptions, ...homeOption, ...timeoutOption },
  'Result of the run': summaryOptions,
  Progress: { quiet },
} as const satisfies Record<string, Record<string, Option>>;

/** The folder of a sharded run. */
export const shardsPositional = {
  name: 'dir',
  kind: 'path',
  describe: 'folder of the shards, or the output of the run',
  isRequired: true,
} as const;
