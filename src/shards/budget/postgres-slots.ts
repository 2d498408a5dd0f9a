import type { Slot, SlotStore } from './slot-store.ts';

/** Where queries go: a pool of `pg`. */
export interface Queryable {
  query<R>(text: string, values?: readonly unknown[]): Promise<{ rows: R[] }>;
}

/** The table is unlogged, so that no request waits for the disk. After a crash it is empty, and the count begins anew. */
const TABLE = `CREATE UNLOGGED TABLE IF NOT EXISTS rowcast.pace (
  run text PRIMARY KEY,
  seen float8 NOT NULL,
  sent float8 NOT NULL,
  rows_at float8 NOT NULL,
  rows float8 NOT NULL,
  taken boolean NOT NULL
)`;

/**
 * The generic cell rate algorithm (ITU-T I.371) for requests and for rows. Times are milliseconds. What is in SET is
 * computed once the row is locked, so its clock never runs behind that of the last request. If the server's clock is set
 * back, the counted times move with it; otherwise nothing would be sent until the clock had caught up.
 */
const RESERVE = `INSERT INTO rowcast.pace AS held (run, seen, sent, rows_at, rows, taken)
SELECT $1::text, now, now, now, $2::float8, true
FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now) clock
ON CONFLICT (run) DO UPDATE SET (seen, sent, rows_at, rows, taken) = (
  SELECT now,
    CASE WHEN near THEN slot ELSE held.sent - back END,
    CASE WHEN near AND $2 > 0 THEN slot ELSE held.rows_at - back END,
    CASE WHEN near AND $2 > 0 THEN $2 ELSE held.rows END,
    near
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now) clock,
    LATERAL (SELECT greatest(0, held.seen - now) AS back) moved,
    LATERAL (SELECT greatest(now, held.sent - back + $3::float8, held.rows_at - back + held.rows * $4::float8) AS slot) next,
    LATERAL (SELECT slot - now <= $5::float8 AS near) reach
)
RETURNING CASE WHEN taken THEN sent ELSE greatest(sent + $3::float8, rows_at + rows * $4::float8) END AS at,
  CASE WHEN taken THEN sent ELSE greatest(sent + $3::float8, rows_at + rows * $4::float8) END - seen AS wait`;

/** Removes the pace of a run, and that of runs that were withdrawn while a worker still sent a request. */
const FORGET = `DELETE FROM rowcast.pace
WHERE run = $1 OR greatest(seen, sent) < extract(epoch FROM clock_timestamp() - interval '1 day') * 1000`;

/** SQLSTATE undefined_table; unique_violation, duplicate_table and duplicate_object, if several create it at once. */
const MISSING = ['42P01'];
const CREATED = ['23505', '42P07', '42710'];

/** Counts in a table of our schema, with a row for each run. The table is made when it is first needed. */
export const postgresSlots = (pool: Queryable): SlotStore => ({
  async reserve(run, rows, rates, horizon = Number.POSITIVE_INFINITY): Promise<Slot> {
    const values = [run, rows, 1000 / rates.requests, 1000 / rates.rows, horizon];
    const reserve = async (): Promise<Slot | undefined> => (await pool.query<Slot>(RESERVE, values)).rows[0];
    const slot = (await unless(MISSING, reserve())) ?? (await create(pool).then(reserve));
    if (slot === undefined) throw new TypeError('reserve: no row was returned');
    return slot;
  },
  async forget(run) {
    await unless(MISSING, pool.query(FORGET, [run]));
  },
});

const create = (pool: Queryable): Promise<unknown> => unless(CREATED, pool.query(TABLE));

/** The value of a query, or undefined if it fails with one of these codes. */
async function unless<T>(codes: readonly string[], query: Promise<T>): Promise<T | undefined> {
  try {
    return await query;
  } catch (cause) {
    if (codes.includes(String((cause as { code?: unknown } | null)?.code))) return undefined;
    throw cause;
  }
}
