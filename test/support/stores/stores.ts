import type { TestContext } from 'node:test';
import { noPostgres, startPostgres } from './postgres.ts';
import { noRedis, startRedis } from './redis.ts';

/** What a queue may be in, for tests of both. */
export const stores = [
  { name: 'Redis', skip: noRedis, start: (t: TestContext) => startRedis(t) },
  { name: 'PostgreSQL', skip: noPostgres, start: (t: TestContext) => startPostgres(t) },
] as const;
